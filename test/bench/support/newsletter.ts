// A mail of 10 KB, as people write them.

const SIZE = 10_240;
const LINK = '<p style="margin:0 0 16px"><a href="https://shop.example/offers/';
const PARAGRAPH =
  '<p style="margin:0 0 16px;font:16px/24px Arial,sans-serif;color:#333333">Spring is here, and so are the new ' +
  "colours: linen in sand and sage, cotton in every blue there is. All of it is made to last &amp; to be mended.</p>";

/** HTML of 10 KB. `greeting` and `footer` may hold variables; `n` makes it unlike any other. */
export function newsletter(n: number | string, greeting = "Hello Ada", footer = ""): string {
  const head =
    `<!doctype html><html><head><meta charset="utf-8"><title>Issue ${n}</title></head>` +
    `<body style="margin:0;background:#f6f6f6"><table role="presentation" width="100%"><tr><td align="center">` +
    `<h1 style="font:24px/32px Arial,sans-serif">${greeting}, this is issue ${n}</h1>`;
  const tail = `${footer}</td></tr></table></body></html>`;
  let middle = "";
  for (let i = 0; head.length + middle.length + tail.length < SIZE; i++) {
    middle += i % 4 === 3 ? `${LINK}${n}-${i}">Offer ${i} of issue ${n}</a></p>` : PARAGRAPH;
  }
  return head + middle + tail;
}

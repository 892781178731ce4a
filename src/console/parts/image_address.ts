// Where the browser finds an image.

/** Its path: the service's own address may be another one than the window's, as behind a tunnel. */
export const pathOf = (url: string) => new URL(url, location.href).pathname;

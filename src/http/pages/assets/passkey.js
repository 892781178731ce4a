// Gives a passkey as the second factor of a log-in, where the browser can.
const place = document.getElementById("passkey");
const { challenge, return: returnTo, base } = place.dataset;
const [button, alert] = [place.querySelector("button"), place.querySelector("[role=alert]")];

async function post(path, body) {
  const response = await fetch(base + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error?.message ?? "Cannot log in");
  return answer;
}

async function logIn() {
  button.disabled = true;
  alert.textContent = "";
  try {
    const options = await post("/auth/two-factor/passkey-options", { challenge });
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const passkey = await navigator.credentials.get({ publicKey });
    await post("/auth/two-factor", { challenge, passkey: passkey.toJSON() });
    location.assign(returnTo);
  } catch (error) {
    alert.textContent = error.message;
    button.disabled = false;
  }
}

if (typeof PublicKeyCredential === "function" && PublicKeyCredential.parseRequestOptionsFromJSON) {
  button.addEventListener("click", logIn);
  place.hidden = false;
}

// A random id. `crypto.randomUUID` exists on secure pages only, and a lab may serve plain HTTP.

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

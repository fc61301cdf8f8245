// What this browser keeps for us. Storage may be blocked or full: then nothing is remembered and
// everything still works, for as long as the page is open.

export const TAB = "sessionStorage";
export const BROWSER = "localStorage";

export function recall(area, key) {
  try {
    return window[area].getItem(key);
  } catch {
    return null;
  }
}

export function keep(area, key, text) {
  try {
    window[area].setItem(key, text);
  } catch {
    // nothing is kept; see above
  }
}

export function forget(area, key) {
  try {
    window[area].removeItem(key);
  } catch {
    // nothing was kept; see above
  }
}

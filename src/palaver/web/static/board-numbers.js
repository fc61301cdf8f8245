// Numbers of a board in words, as palaver.web.formatting writes them.

export const NOTHING = "–";
const large = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function number(value) {
  if (!Number.isFinite(value)) return NOTHING;
  const size = Math.abs(value);
  const digits = size > 0 && size < 0.01 ? Math.min(9, 1 - Math.floor(Math.log10(size))) : 2;
  return (size >= 1000 ? large.format(value) : value.toFixed(digits)).replace("-", "−");
}

export const between = (ends) =>
  ends && ends[0] !== null && ends[1] !== null ? `${number(ends[0])} to ${number(ends[1])}` : "";
export const ranks = (ends) => (ends ? (ends[0] === ends[1] ? String(ends[0]) : `${ends[0]} to ${ends[1]}`) : "");
export const percent = (share) => `${(share * 100).toFixed(1)} %`;
export const counted = (count, noun) => `${count} ${count === 1 ? noun : `${noun}s`}`;

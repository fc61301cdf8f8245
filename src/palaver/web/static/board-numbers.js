// Numbers of a board in words, as palaver.web.formatting writes them.

export const NOTHING = "–";
const large = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

const MOST_DIGITS = 9;

// With `digits`, so many after the point.
export function number(value, digits = null) {
  if (!Number.isFinite(value)) return NOTHING;
  if (digits !== null) return value.toFixed(digits).replace("-", "−");
  const size = Math.abs(value);
  const few = size > 0 && size < 0.01 ? Math.min(MOST_DIGITS, 1 - Math.floor(Math.log10(size))) : 2;
  return (size >= 1000 ? large.format(value) : value.toFixed(few)).replace("-", "−");
}

// Two ends that differ never read alike.
export function between(ends, digits = null) {
  if (!ends || ends[0] === null || ends[1] === null) return "";
  let [low, high] = ends.map((end) => number(end, digits));
  for (let more = 1; low === high && ends[0] !== ends[1] && more <= MOST_DIGITS; more += 1) {
    [low, high] = ends.map((end) => number(end, more));
  }
  return `${low} to ${high}`;
}
export const ranks = (ends) => (ends ? (ends[0] === ends[1] ? String(ends[0]) : `${ends[0]} to ${ends[1]}`) : "");
export const percent = (share) => `${(share * 100).toFixed(1)} %`;
export const counted = (count, noun) => `${count} ${count === 1 ? noun : `${noun}s`}`;

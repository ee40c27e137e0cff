/** Of a normal distribution, for 95 % confidence. */
const Z = 1.96

/** The lower bound of Wilson's interval for a share, given how many of `total` were observed; 0 of none. */
export function wilsonLowerBound(observed: number, total: number): number {
  if (total === 0) return 0
  const share = observed / total
  const square = Z * Z
  const margin = Z * Math.sqrt((share * (1 - share) + square / (4 * total)) / total)
  return (share + square / (2 * total) - margin) / (1 + square / total)
}

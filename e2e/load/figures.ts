/** The value that so many percent of all are not above. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const value = sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)]
  if (value === undefined) throw new Error('no values to take a percentile of')
  return value
}

export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

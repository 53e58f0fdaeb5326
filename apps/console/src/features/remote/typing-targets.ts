/** Where keys go: to the terminal that they are typed into, or also to those that are marked, or to all. */
export type TypingMode = 'alone' | 'marked' | 'all'

/** The machines that get what is typed into any one of them; fewer than two = nothing is typed twice. */
export function targetsOf({
  mode,
  marked,
  shown,
}: {
  mode: TypingMode
  marked: ReadonlySet<string>
  shown: readonly string[]
}): string[] {
  if (mode === 'alone') return []
  return mode === 'all' ? [...shown] : shown.filter((id) => marked.has(id))
}

interface Version {
  title: string
  name: string
  version: string
}

/** So many are told one by one: a distribution's upgrade changes a thousand. */
export const MOST_TOLD = 25
const LONGEST = 200

const VERBS = ['installed', 'removed', 'updated'] as const
type Change = { verb: (typeof VERBS)[number]; text: string }

/** Lines for a machine's timeline: `Software: updated nginx 1.22 → 1.24`. What came and went stands first. */
export function describeSoftwareChanges(removed: readonly Version[], added: readonly Version[]): string[] {
  const before = Map.groupBy(removed, ({ title }) => title)
  const after = Map.groupBy(added, ({ title }) => title)
  const changes = Array.from(new Set([...after.keys(), ...before.keys()]), (title) =>
    describe(before.get(title) ?? [], after.get(title) ?? []),
  ).filter((change) => change !== undefined)
  const sorted = VERBS.flatMap((verb) => changes.filter((change) => change.verb === verb))
  const told = sorted.slice(0, MOST_TOLD).map(({ text }) => `Software: ${text}`)
  const rest = sorted.slice(MOST_TOLD)
  if (rest.length === 0) return told
  const counts = VERBS.flatMap((verb) => {
    const count = rest.filter((change) => change.verb === verb).length
    return count === 0 ? [] : [`${count} ${verb}`]
  })
  return [...told, `Software: and ${counts.join(', ')}`]
}

/** Undefined when only something beside the version is another. */
function describe(before: readonly Version[], after: readonly Version[]): Change | undefined {
  const name = cut((after[0] ?? before[0])?.name ?? '')
  const [was, is] = [before, after].map(listVersions)
  if (was === is) return undefined
  if (before.length === 0) return { verb: 'installed', text: `installed ${name} ${is}`.trim() }
  if (after.length === 0) return { verb: 'removed', text: `removed ${name} ${was}`.trim() }
  return { verb: 'updated', text: `updated ${name} ${was || '?'} → ${is || '?'}` }
}

function listVersions(versions: readonly Version[]): string {
  return cut(
    versions
      .map(({ version }) => version)
      .toSorted()
      .join(', '),
  )
}

const cut = (text: string) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)

import type { Protection, ProtectionSubject } from '@muster/contract/agent/facts'
import { AgentError, MeasureError } from '../errors.ts'
import { describeError } from '../log/log.ts'

type Found = Omit<Protection, 'subject'>

/** Where a system shows one kind of protection. */
export interface ProtectionSource {
  subject: ProtectionSubject
  /** Shown if the source cannot be read. */
  name: string
  /** Throws MeasureError or AgentError with a sentence. */
  read: () => Promise<Found[]>
}

/** Reads each source. One that fails or finds nothing becomes a line that says why. */
export async function readProtections(sources: readonly ProtectionSource[]): Promise<Protection[]> {
  const found = await Promise.all(
    sources.map(async ({ subject, name, read }) => {
      const unread = (detail: string): Found[] => [{ name, state: 'unknown', detail }]
      const lines = await read().catch((cause: unknown) => unread(explain(cause)))
      const some = lines.length > 0 ? lines : unread('The system lists none.')
      return some.map((line) => ({ subject, ...line }))
    }),
  )
  return found.flat()
}

function explain(cause: unknown): string {
  if (cause instanceof AgentError || cause instanceof MeasureError) return cause.message
  return `The agent failed to read it: ${describeError(cause)}`
}

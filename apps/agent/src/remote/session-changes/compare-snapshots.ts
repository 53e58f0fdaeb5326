import {
  MAX_REPORTED_CHANGES,
  CHANGED_PARTS,
  type ChangedPart,
  type ChangedParts,
} from '@muster/contract/agent/remote'
import type { Snapshot, SnapshotPart } from './snapshot.ts'

/** Returns the differences between two snapshots. */
export function compareSnapshots(before: Snapshot, after: Snapshot): ChangedParts {
  const parts = CHANGED_PARTS.map(
    (name) => [name, comparePart(before.parts[name], after.parts[name])] as const,
  )
  // Every name has an entry.
  return Object.fromEntries(parts) as ChangedParts
}

/** For a session without snapshots. */
export function notCollected(reason: string): ChangedParts {
  const part: ChangedPart = { state: 'not_collected', reason: reason.slice(0, 500) }
  return { packages: part, services: part, files: part, users: part, ports: part }
}

function comparePart(before: SnapshotPart, after: SnapshotPart): ChangedPart {
  for (const part of [before, after])
    if (typeof part === 'string') return { state: 'not_collected', reason: part.slice(0, 500) }
  // Neither part failed.
  const [old, now] = [before, after] as [Record<string, string>, Record<string, string>]
  const added = namesIn(now).filter((name) => !Object.hasOwn(old, name))
  const removed = namesIn(old).filter((name) => !Object.hasOwn(now, name))
  const changed = namesIn(now).filter((name) => Object.hasOwn(old, name) && old[name] !== now[name])
  const all = [added, removed, changed]
  const reported = all.map((names) => names.slice(0, MAX_REPORTED_CHANGES))
  return {
    state: 'collected',
    added: (reported[0] ?? []).map((name) => ({ name: cut(name), state: wordsOf(now[name]) })),
    removed: (reported[1] ?? []).map((name) => ({ name: cut(name), state: wordsOf(old[name]) })),
    changed: (reported[2] ?? []).map((name) => ({
      name: cut(name),
      from: wordsOf(old[name]),
      to: wordsOf(now[name]),
    })),
    left_out: all.flat().length - reported.flat().length,
  }
}

const namesIn = (part: Record<string, string>) => Object.keys(part).toSorted()
const cut = (name: string) => name.slice(0, 500)
/** The part after `|` is only for comparison. */
const wordsOf = (state = '') => (state.split('|', 1)[0] ?? '').slice(0, 300)

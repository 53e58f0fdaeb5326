import {
  type AlertLogLine,
  type AlertSeverity,
  endCause,
  repeatCause,
  FLAPPING_COUNT,
  FLAPPING_WINDOW_MS,
  judgeFlapping,
  openAlert,
} from '@muster/rules/alerts/alert-state'
import type { Subject } from './causes.ts'
import { type AlertRow, findRecentAlerts, lockOpenAlerts } from './queries.ts'
import { applyStep, type AlertDraft, draftOf, type TxContext, storeAlerts } from './store-alerts.ts'

/** A cause that started, changed or ended. */
export interface Finding {
  cause: string
  /** When it happened. */
  at: Date
  /** Null: it ended. */
  severity: AlertSeverity | null
  /** The problem, or how it ended. */
  text: string
  /** The reporting user, if any. */
  by?: string
}

/** Older findings are late, and more may follow. */
const LATE_MS = 60_000
export const MORE_TO_COME_MS = 5000
const MAX_MESSAGE_LENGTH = 4000

type Earlier = Parameters<typeof judgeFlapping>[0][number] & { snooze_until: string | null }
type FoundDraft = AlertDraft & { findings: Finding[] }

/**
 * Raises, changes and resolves alerts from findings sorted by time. Each open alert is notified once; repeated findings
 * change nothing. Returns the open alert of each cause that has one afterwards.
 */
export async function takeFindings(
  txContext: TxContext,
  subjects: ReadonlyMap<string, Subject>,
  findings: readonly Finding[],
): Promise<Map<string, AlertRow>> {
  const { ctx, tx } = txContext
  const causes = [...new Set(findings.map(({ cause }) => cause))].toSorted()
  const open = new Map<string, FoundDraft>()
  for (const row of await lockOpenAlerts(tx, ctx.engine, causes)) {
    open.set(row.cause, { ...draftOf(row), findings: [] })
  }
  const earlier = await findEarlier(txContext, findings, open)
  const found: FoundDraft[] = []
  const now = ctx.now()
  for (const finding of findings) {
    const subject = subjects.get(finding.cause)
    const draft = open.get(finding.cause)
    if (draft !== undefined) {
      if (draft.row !== undefined && draft.findings.length === 0) found.push(draft)
      draft.findings.push(finding)
      goOn(draft, finding)
      if (draft.snapshot.state !== 'resolved') continue
      open.delete(finding.cause)
      earlier.get(finding.cause)?.push({ ...draft.snapshot, flapping: draft.flapping === 1 })
    } else if (subject !== undefined && finding.severity !== null) {
      const begun = begin(subject, finding, { now, earlier: earlier.get(finding.cause) ?? [] })
      found.push(begun)
      open.set(finding.cause, begun)
    }
  }
  return storeFound(txContext, subjects, found)
}

/** A cause that another process just raised is handled again, now that its alert exists. */
async function storeFound(
  txContext: TxContext,
  subjects: ReadonlyMap<string, Subject>,
  found: FoundDraft[],
): Promise<Map<string, AlertRow>> {
  const changed = found.filter(
    ({ row, log, snapshot }) => row === undefined || log.length > 0 || snapshot !== row,
  )
  const known = found.flatMap(({ row, log }) => (row !== undefined && log.length === 0 ? [row] : []))
  const stored = await storeAlerts(txContext, changed)
  const open = [...known, ...stored].flatMap((row) =>
    row === undefined || row.open_cause === null ? [] : [[row.cause, row] as const],
  )
  const overtaken = changed.filter((_, index) => stored[index] === undefined)
  const again = overtaken.flatMap(({ findings }) => findings)
  return new Map([...open, ...(again.length === 0 ? [] : await takeFindings(txContext, subjects, again))])
}

function begin(
  subject: Subject,
  finding: Finding,
  { now, earlier }: { now: Date; earlier: readonly Earlier[] },
): FoundDraft {
  const at = finding.at.toISOString()
  const flaps = judgeFlapping(earlier, at)
  const snoozedUntil = earlier.at(-1)?.snooze_until ?? null
  const isLate = now.getTime() - finding.at.getTime() > LATE_MS
  const step = openAlert({
    at,
    now: now.toISOString(),
    // The caller guarantees it: a finding without severity starts nothing.
    severity: finding.severity ?? 'error',
    message: messageOf(finding),
    hold: subject.hold ?? (flaps === 'again' ? 'flapping' : null),
    notifyAfter: latestNotice({ subject, at, now, isLate }),
    snoozedUntil: snoozedUntil !== null && snoozedUntil > now.toISOString() ? snoozedUntil : null,
  })
  const draft: FoundDraft = {
    subject,
    snapshot: step.next,
    flapping: flaps === 'no' ? 0 : 1,
    log: [],
    notices: [],
    findings: [finding],
  }
  applyStep(draft, { ...step, log: signed(step.log, finding) })
  if (flaps === 'first') {
    const text = `Flapping: ${FLAPPING_COUNT} changes in the last hour. You are notified again if it stays open for 30 minutes.`
    draft.log.push({ at, kind: 'flapping', by: '', text })
  }
  return draft
}

/** The latest time of the notification, if it is not immediate. */
function latestNotice({ subject, at, now, isLate }: Waiting): string | null {
  const { dependency } = subject
  // Two checks that fail for one reason detect it within one interval, in either order.
  const asks = dependency !== undefined && (dependency.passesSince === null || dependency.passesSince <= at)
  const waitMs = Math.max(isLate ? MORE_TO_COME_MS : 0, asks ? dependency.answersWithin * 1000 : 0)
  return waitMs === 0 ? null : new Date(now.getTime() + waitMs).toISOString()
}

interface Waiting {
  subject: Subject
  at: string
  now: Date
  isLate: boolean
}

function goOn(draft: FoundDraft, finding: Finding): void {
  const at = finding.at.toISOString()
  const { severity } = finding
  const step =
    severity === null
      ? endCause(draft.snapshot, { at, text: messageOf(finding) })
      : repeatCause(draft.snapshot, { at, severity, message: messageOf(finding) })
  if (step === undefined) return
  applyStep(draft, { ...step, log: signed(step.log, finding) })
}

/** Only the finding itself is attributed to the user, not its consequences. */
function signed(log: readonly AlertLogLine[], { by }: Finding): AlertLogLine[] {
  const [first, ...rest] = log
  return first === undefined ? [] : [{ ...first, by: by ?? first.by }, ...rest]
}

function messageOf({ text }: Finding): string {
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : text
}

/** Earlier alerts of the causes that may start now. */
async function findEarlier(
  { tx }: TxContext,
  findings: readonly Finding[],
  open: ReadonlyMap<string, FoundDraft>,
): Promise<Map<string, Earlier[]>> {
  const ended = new Set(findings.filter(({ severity }) => severity === null).map(({ cause }) => cause))
  const beginning = findings.filter(
    ({ cause, severity }) => severity !== null && (!open.has(cause) || ended.has(cause)),
  )
  const earlier = new Map<string, Earlier[]>(beginning.map(({ cause }) => [cause, []]))
  if (beginning.length === 0) return earlier
  const firstMs = Math.min(...beginning.map(({ at }) => at.getTime()))
  const since = new Date(firstMs - FLAPPING_WINDOW_MS).toISOString()
  for (const { cause, flapping, ...times } of await findRecentAlerts(tx, [...earlier.keys()], since)) {
    // An open one continues, and is added when it ends.
    if (times.resolved_on !== null) earlier.get(cause)?.push({ ...times, flapping: flapping === 1 })
  }
  return earlier
}

/** Decides which patches a policy approves, and when. The types are the contract's PatchPolicy. */

export const PATCH_CLASSES = ['critical', 'important', 'moderate', 'low', 'security', 'other'] as const
/** The severity of a patch. `security`: a security update whose vendor gives no severity, as apt does. */
export type PatchClass = (typeof PATCH_CLASSES)[number]

export interface PatchRule {
  action: 'approve' | 'manual' | 'ignore'
  /** Days since a machine first reported this version. */
  after_days: number
}

export interface PatchApproval extends Record<PatchClass, PatchRule> {
  /** Before the rules for severities; the first that fits counts. */
  categories: readonly (PatchRule & { category: string })[]
  /** Never installed: a KB number, the name of a package, or a part of a title with `*`. */
  ignore: readonly string[]
}

export interface PatchRing {
  ring: number
  delay_days: number
  /** The days count from the first success in the ring before, and a failure there stops the patch. */
  after_ring: boolean
}

/** A machine without a ring is in the first one. */
export const FIRST_RING: PatchRing = { ring: 1, delay_days: 0, after_ring: false }

export interface RatedPatch {
  guid: string
  kb: string
  title: string
  severity: string
  security: boolean
  categories: readonly string[]
}

/** Results of a version of a patch on the machines of one ring. */
export interface RingResult {
  succeededMs: number | undefined
  failed: number
}

export interface PatchAge {
  firstSeenMs: number
  nowMs: number
  /** In the ring before; undefined without a result. */
  before: RingResult | undefined
}

export interface PatchVerdict {
  /** `wait`: approved later. */
  decision: 'approve' | 'manual' | 'ignore' | 'wait'
  /** When it is approved; undefined if that is not known yet. */
  atMs?: number
  /** As words: `critical, after 7 days`. */
  why: string
}

const DAY_MS = 86_400_000

export function classOf({ severity, security }: Pick<RatedPatch, 'severity' | 'security'>): PatchClass {
  const named = PATCH_CLASSES.find((name) => name === severity.toLowerCase())
  return named ?? (security ? 'security' : 'other')
}

/** Decides about one version of a patch. A decision of a user comes before it and is not known here. */
export function judgePatch(
  patch: RatedPatch,
  { approval, ring = FIRST_RING }: { approval: PatchApproval; ring?: PatchRing | undefined },
  age: PatchAge,
): PatchVerdict {
  const rejected = approval.ignore.find((pattern) => isNamed(patch, pattern))
  if (rejected !== undefined)
    return { decision: 'ignore', why: `"${rejected}" is on the list of ignored patches` }
  const { rule, name } = ruleFor(patch, approval)
  if (rule.action !== 'approve') {
    const why =
      rule.action === 'ignore' ? `${name} patches are ignored` : `${name} patches are approved manually`
    return { decision: rule.action, why }
  }
  return approveInRing(`${name}, ${describeDays(rule.after_days)}`, rule, ring, age)
}

function approveInRing(words: string, rule: PatchRule, ring: PatchRing, age: PatchAge): PatchVerdict {
  const oldEnoughMs = age.firstSeenMs + rule.after_days * DAY_MS
  const delayMs = ring.delay_days * DAY_MS
  if (ring.ring <= 1 || !ring.after_ring) {
    const why = delayMs === 0 ? words : `${words}, and ${days(ring.delay_days)} more in ring ${ring.ring}`
    return approveAt(oldEnoughMs + delayMs, age.nowMs, why)
  }
  const earlier = ring.ring - 1
  const { before } = age
  if (before !== undefined && before.failed > 0)
    return { decision: 'wait', why: `failed on ${machines(before.failed)} of ring ${earlier}` }
  if (before?.succeededMs === undefined)
    return { decision: 'wait', why: `waits for an installation in ring ${earlier}` }
  const why = `${words}, and ${describeDays(ring.delay_days)} in ring ${earlier}`
  return approveAt(Math.max(oldEnoughMs, before.succeededMs + delayMs), age.nowMs, why)
}

function approveAt(atMs: number, nowMs: number, why: string): PatchVerdict {
  return { decision: atMs <= nowMs ? 'approve' : 'wait', atMs, why }
}

function ruleFor(patch: RatedPatch, approval: PatchApproval): { rule: PatchRule; name: string } {
  const own = new Set(patch.categories.map((category) => category.toLowerCase()))
  const ofCategory = approval.categories.find(({ category }) => own.has(category.toLowerCase()))
  if (ofCategory !== undefined) return { rule: ofCategory, name: ofCategory.category }
  const name = classOf(patch)
  return { rule: approval[name], name }
}

/** Whether a pattern names the patch. `*` stands for any text; without it the whole name or KB number must match. */
export function isNamed({ guid, kb, title }: RatedPatch, pattern: string): boolean {
  const parts = pattern.trim().toLowerCase().split('*')
  if (parts.every((part) => part === '')) return false
  return [guid, kb, title].some((text) => matches(text.toLowerCase(), parts))
}

/** Linear in the length of the text: each part is searched after the one before. */
function matches(text: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts
  if (rest.length === 0) return text === first
  const last = rest.pop() ?? ''
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false
  const end = text.length - last.length
  let from = first.length
  for (const part of rest) {
    const at = text.indexOf(part, from)
    if (at === -1 || at + part.length > end) return false
    from = at + part.length
  }
  return true
}

export function describeDays(count: number): string {
  return count === 0 ? 'at once' : `after ${days(count)}`
}

const days = (count: number) => `${count} ${count === 1 ? 'day' : 'days'}`
const machines = (count: number) => `${count} ${count === 1 ? 'machine' : 'machines'}`

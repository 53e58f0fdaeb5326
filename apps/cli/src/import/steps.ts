import { nameKey } from '@muster/contract/names'
import type { Endpoint, Input } from '@muster/contract/endpoint'
import type { z } from 'zod'
import type { Client } from '../client.ts'

/**
 * A plan is a list of steps in the order of their needs. Each knows from the plan alone whether it creates something,
 * so that a repeated import finds what an earlier one has created.
 */
export interface Step {
  /** Such as `client`. */
  kind: string
  name: string
  outcome: 'create' | 'change' | 'exists' | 'by hand' | 'left out'
  /** Why, or what differs; empty without anything to say. */
  reason: string
  /** Things whose ids it uses. */
  needs: { key: string; label: string }[]
  /** Keys with the ids that exist already. */
  ids: ReadonlyMap<string, number>
  /** For `create` and `change`. Returns the ids of what it has created, by key. */
  run?: (client: Client, idOf: IdOf) => Promise<ReadonlyMap<string, number>>
}

/** The id at this server of the thing with a key, such as `client 12` for the old server's client 12. */
export type IdOf = (key: string) => number

interface StepHead {
  kind: string
  name: string
  reason?: string
}

export interface Creation<E extends Endpoint> extends StepHead {
  key: string
  endpoint: E
  body: (idOf: IdOf) => Input<E>['body']
  /** Ids of other things that were created with it. */
  alsoCreates?: (created: { id: number }) => [string, number][]
  alsoKeys?: string[]
}

interface Change extends StepHead {
  schema: z.ZodType | undefined
  body: (idOf: IdOf) => unknown
  call: (client: Client, idOf: IdOf) => Promise<unknown>
  /** Default: `change`. */
  outcome?: 'create'
}

const NOTHING: ReadonlyMap<string, number> = new Map()

/** Collects the steps of a plan. */
export class Planner {
  readonly steps: Step[] = []
  /** Keys of what exists when the steps so far have run. */
  readonly #known = new Set<string>()
  readonly #labels = new Map<string, string>()

  has(key: string): boolean {
    return this.#known.has(key)
  }

  /** Names a thing in the reasons of steps that need it, such as `client "Acme"`. */
  label(key: string, label: string): void {
    this.#labels.set(key, label)
  }

  exists({ reason = '', ...head }: StepHead, ids: readonly (readonly [string, number])[]): void {
    for (const [key] of ids) this.#known.add(key)
    this.steps.push({ ...head, reason, outcome: 'exists', needs: [], ids: new Map(ids) })
  }

  /** Left out if this server would refuse the body, or if something that it needs is left out. */
  create<E extends Endpoint>(creation: Creation<E>): boolean {
    const { key, endpoint, body, alsoKeys = [], alsoCreates } = creation
    const step = this.#plan({ ...creation, outcome: 'create' }, endpoint.body, body)
    if (step === undefined) return false
    for (const made of [key, ...alsoKeys]) this.#known.add(made)
    step.run = async (client, idOf) => {
      // Endpoints that create something have only a body, and return it with its id.
      const created = (await client.callToEnd(endpoint, { body: body(idOf) } as Input<E>)) as { id: number }
      return new Map([[key, created.id], ...(alsoCreates?.(created) ?? [])])
    }
    return true
  }

  /** Changes something that exists, or that a step before creates. */
  change(change: Change): void {
    const step = this.#plan({ outcome: 'change', ...change }, change.schema, change.body)
    if (step === undefined) return
    step.run = async (client, idOf) => {
      await change.call(client, idOf)
      return NOTHING
    }
  }

  byHand({ reason = '', kind, name }: StepHead): void {
    this.steps.push({ kind, name, reason, outcome: 'by hand', needs: [], ids: NOTHING })
  }

  leaveOut({ reason = '', kind, name }: StepHead): void {
    this.steps.push({ kind, name, reason, outcome: 'left out', needs: [], ids: NOTHING })
  }

  #plan(
    { kind, name, reason = '', outcome }: StepHead & Pick<Step, 'outcome'>,
    schema: z.ZodType | undefined,
    body: (idOf: IdOf) => unknown,
  ): Step | undefined {
    const needs = new Set<string>()
    const planned = body((key) => {
      needs.add(key)
      return 1
    })
    const labelOf = (key: string) => this.#labels.get(key) ?? key
    const missing = [...needs].filter((key) => !this.#known.has(key)).map(labelOf)
    const problem =
      missing.length > 0 ? `Needs ${missing.join(', ')}, left out.` : findProblem(schema, planned)
    if (problem !== undefined) {
      this.leaveOut({ kind, name, reason: problem })
      return undefined
    }
    const labelled = [...needs].map((key) => ({ key, label: labelOf(key) }))
    const step: Step = { kind, name, reason, outcome, needs: labelled, ids: NOTHING }
    this.steps.push(step)
    return step
  }
}

/** The first thing that this server would refuse. */
export function findProblem(schema: z.ZodType | undefined, body: unknown): string | undefined {
  const parsed = schema?.safeParse(body)
  const [issue] = parsed?.error?.issues ?? []
  if (issue === undefined) return undefined
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`
}

/** Finds by exactly this name, otherwise by one that differs only in case or spaces. */
export function indexByName<Present>(
  presents: readonly Present[],
  nameOf: (present: Present) => string,
): (name: string) => Present | undefined {
  const exact = new Map(presents.map((present) => [nameOf(present).trim(), present]))
  const folded = new Map(presents.map((present) => [nameKey(nameOf(present)), present]))
  return (name) => exact.get(name.trim()) ?? folded.get(nameKey(name))
}

interface Matching<Old, Present> {
  kind: string
  keyOf: (old: Old) => string
  /** As shown in the plan. */
  nameOf: (old: Old) => string
  /** As here; the same without case = the same thing. */
  presentNameOf: (present: Present) => string
  whenPresent: (old: Old, present: Present) => string
  whenNew: (old: Old) => void
}

/** Finds for each old thing the one here with the same name. Of several old ones with one name, only the first moves. */
export function matchByName<Old, Present extends { id: number }>(
  planner: Planner,
  olds: readonly Old[],
  presents: readonly Present[],
  matching: Matching<Old, Present>,
): void {
  const { kind, keyOf, nameOf, presentNameOf, whenPresent, whenNew } = matching
  const findPresent = indexByName(presents, presentNameOf)
  const seen = new Map<string, string>()
  for (const old of olds) {
    const name = nameOf(old).trim()
    planner.label(keyOf(old), `the ${kind} "${name}"`)
    const twin = seen.get(nameKey(name))
    if (twin !== undefined) {
      const reason = `The old server also has "${twin}". Rename one of them there.`
      planner.leaveOut({ kind, name, reason })
      continue
    }
    seen.set(nameKey(name), name)
    const present = findPresent(name)
    if (present === undefined) {
      whenNew(old)
      continue
    }
    const here = presentNameOf(present)
    const reason = [here === name ? '' : `Its name here is "${here}".`, whenPresent(old, present)]
    planner.exists({ kind, name, reason: reason.filter(Boolean).join(' ') }, [[keyOf(old), present.id]])
  }
}

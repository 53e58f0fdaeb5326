import { CheckResult } from '@muster/contract/agent/checks'
import { z } from 'zod'
import { Kept } from './kept.ts'
import type { State } from './state.ts'

const NAME = 'checks_dropped'

const Dropped = z.object({ count: z.int().min(1), from: z.iso.datetime(), to: z.iso.datetime() })
type Dropped = z.infer<typeof Dropped>
const ChecksReport = z.object({ results: z.array(CheckResult.pick({ at: true })) })

/** How many results of checks had to be dropped, and from what time they were, until the server has been told. */
export class DroppedChecks {
  #kept: Kept

  constructor(state: State) {
    this.#kept = new Kept(state)
  }

  find(): Dropped | undefined {
    const text = this.#kept.find(NAME)
    return text === undefined ? undefined : Dropped.parse(JSON.parse(text))
  }

  /** Takes reports as they were kept. */
  add(reports: string[]): void {
    const times = reports.flatMap((json) => ChecksReport.parse(JSON.parse(json)).results.map(({ at }) => at))
    const before = this.find()
    const all = before === undefined ? times : [before.from, before.to, ...times]
    // Instants of one form are in the order of their text.
    const [from, to] = [all.toSorted().at(0), all.toSorted().at(-1)]
    if (from === undefined || to === undefined) return
    const dropped: Dropped = { count: (before?.count ?? 0) + times.length, from, to }
    this.#kept.save(NAME, JSON.stringify(dropped))
  }

  forget(): void {
    this.#kept.forget(NAME)
  }
}

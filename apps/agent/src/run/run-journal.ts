import type { Outbox } from '../state/outbox.ts'
import type { ResultReport, RunRecord, RunRecords } from '../state/run-records.ts'
import type { State } from '../state/state.ts'
import type { Outcome } from './run-outcome.ts'

/** Stores each step of a run and its report in one transaction. */
export class RunJournal {
  #state: State
  #outbox: Outbox
  #records: RunRecords
  #now: () => number

  constructor(options: { state: State; outbox: Outbox; records: RunRecords; now: () => number }) {
    this.#state = options.state
    this.#outbox = options.outbox
    this.#records = options.records
    this.#now = options.now
  }

  find(historyId: number): RunRecord | undefined {
    return this.#records.find(historyId)
  }

  /** Runs that are waiting or running. */
  listOpen(): RunRecord[] {
    return this.#records.listOpen()
  }

  writeAccepted(record: RunRecord): void {
    this.#state.write(() => {
      this.#records.save(record)
      this.#outbox.append({ kind: 'accepted', history_id: record.historyId, at: this.#instant() })
    })
  }

  writeStarted(record: RunRecord): void {
    this.#state.write(() => {
      this.#records.save({ ...record, state: 'running' })
      this.#outbox.append({ kind: 'started', history_id: record.historyId, at: this.#instant() })
    })
  }

  writeResult(record: RunRecord, { reason, ...outcome }: Outcome): void {
    const result: ResultReport = {
      kind: 'result',
      history_id: record.historyId,
      at: this.#instant(),
      ...outcome,
      reason: reason?.slice(0, 2000) ?? null,
    }
    this.#state.write(() => {
      this.#records.save({ ...record, state: 'ended', result })
      this.#outbox.append(result)
    })
  }

  /** Reports the state of a run again when its command is delivered again. */
  repeatState(record: RunRecord): void {
    const history_id = record.historyId
    if (record.result !== null) return this.#outbox.append(record.result)
    this.#outbox.append({ kind: 'accepted', history_id, at: this.#instant() })
    if (record.state === 'running') this.#outbox.append({ kind: 'started', history_id, at: this.#instant() })
  }

  #instant(): string {
    return new Date(this.#now()).toISOString()
  }
}

import type { SQLOutputValue } from 'node:sqlite'
import { Report } from '@muster/contract/agent/link'
import type { State } from './state.ts'

export type ResultReport = Extract<Report, { kind: 'result' }>

/** A stored run. `nonce` distinguishes a repeated delivery from new work with the same number. */
export interface RunRecord {
  historyId: number
  nonce: string
  marker: string
  state: 'waiting' | 'running' | 'ended'
  result: ResultReport | null
}

/** Ended runs are stored, so that a repeated delivery gets their result. */
const KEEP_ENDED_MS = 31 * 24 * 3600 * 1000
const KEEP_ENDED_ALWAYS = 10_000

/** The runs of this machine, so that a restart knows what it interrupted. */
export class RunRecords {
  #state: State
  #now: () => number

  constructor(options: { state: State; now: () => number }) {
    this.#state = options.state
    this.#now = options.now
    this.removeOld()
  }

  find(historyId: number): RunRecord | undefined {
    const row = this.#state.read((database) =>
      database.find('select * from runs where history_id = ?', historyId),
    )
    return row === undefined ? undefined : viewRun(row)
  }

  /** Runs that are waiting or running. */
  listOpen(): RunRecord[] {
    const rows = this.#state.read((database) => database.all(`select * from runs where state <> 'ended'`))
    return rows.map(viewRun)
  }

  save(record: RunRecord): void {
    const result = record.result === null ? null : JSON.stringify(record.result)
    this.#state.write((database) =>
      database.run(
        `insert or replace into runs (history_id, nonce, marker, state, result, changed_at) values (?, ?, ?, ?, ?, ?)`,
        record.historyId,
        record.nonce,
        record.marker,
        record.state,
        result,
        Math.floor(this.#now()),
      ),
    )
  }

  removeOld(): void {
    this.#state.write((database) =>
      database.run(
        `delete from runs where state = 'ended' and changed_at < ? and history_id not in
           (select history_id from runs order by changed_at desc limit ?)`,
        Math.floor(this.#now()) - KEEP_ENDED_MS,
        KEEP_ENDED_ALWAYS,
      ),
    )
  }
}

function viewRun(row: Record<string, SQLOutputValue>): RunRecord {
  const report = typeof row.result === 'string' ? Report.parse(JSON.parse(row.result)) : null
  return {
    historyId: Number(row.history_id),
    nonce: String(row.nonce),
    marker: String(row.marker),
    // The check constraint of the table allows no other text.
    state: row.state as RunRecord['state'],
    result: report?.kind === 'result' ? report : null,
  }
}

import { Report } from '@muster/contract/agent/link'
import { CheckResult } from '@muster/contract/agent/checks'
import { z } from 'zod'
import type { Log } from '../log/log.ts'
import type { Problems } from '../status-file.ts'
import { KeyValueStore, setLastSeq, type State } from './state.ts'
import type { Database } from './database.ts'

const NAME = 'checks_dropped'

const Dropped = z.object({ count: z.int().min(1), from: z.iso.datetime(), to: z.iso.datetime() })
type Dropped = z.infer<typeof Dropped>
const ChecksReport = z.object({ results: z.array(CheckResult.pick({ at: true })) })

/** Number and time of dropped check results, until the server has received it. */
class DroppedChecks {
  #keyValues: KeyValueStore

  constructor(state: State) {
    this.#keyValues = new KeyValueStore(state)
  }

  find(): Dropped | undefined {
    const text = this.#keyValues.find(NAME)
    return text === undefined ? undefined : Dropped.parse(JSON.parse(text))
  }

  /** Takes reports as stored JSON. */
  add(reports: string[]): void {
    const times = reports.flatMap((json) => ChecksReport.parse(JSON.parse(json)).results.map(({ at }) => at))
    const before = this.find()
    const all = before === undefined ? times : [before.from, before.to, ...times]
    // ISO times of one form sort by their text.
    const [from, to] = [all.toSorted().at(0), all.toSorted().at(-1)]
    if (from === undefined || to === undefined) return
    const dropped: Dropped = { count: (before?.count ?? 0) + times.length, from, to }
    this.#keyValues.save(NAME, JSON.stringify(dropped))
  }

  clear(): void {
    this.#keyValues.remove(NAME)
  }
}

const MAX_DISK_BYTES = 50 * 1024 * 1024
const MAX_MEMORY_BYTES = 8 * 1024 * 1024
/** Output, check results and metrics of this age are dropped. Results of runs wait as long as there is room. */
const MAX_AGE_MS = 7 * 24 * 3600 * 1000
/** From this size on, processes of runs block until the server has accepted some, while there is a link. */
const CONGESTED_BYTES = 8 * 1024 * 1024
const DROP_AT_ONCE = 50
/** Dropped output stays a visible problem for this long. */
const DROPPED_PROBLEM_MS = 3600 * 1000

export interface OutboxEntry {
  seq: number
  json: string
}

/** Reports that the server has not acknowledged yet, oldest first. */
export class Outbox {
  #state: State
  #log: Log
  #problems: Problems
  #now: () => number
  #listeners = new Set<() => void>()
  #bytes = 0
  #peakBytes = 0
  #droppedBytes = 0
  #droppedAt = 0
  #droppedOf = new Map<number, number>()
  #droppedChecks: DroppedChecks

  constructor(options: { state: State; log: Log; problems: Problems; now: () => number }) {
    this.#state = options.state
    this.#log = options.log
    this.#problems = options.problems
    this.#now = options.now
    this.#droppedChecks = new DroppedChecks(options.state)
    // A new state file must not repeat numbers of an earlier one, so they start at the current time.
    this.#state.write((database) => setLastSeq(database, Math.floor(options.now())))
    this.#count()
    this.#state.onMove(() => {
      this.#count()
      this.#keepBounds()
    })
    this.dropOld()
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The number of the newest waiting report; 0 = none. */
  get lastSeq(): number {
    const [row] = this.#state.read((database) => database.all('select max(seq) as seq from outbox'))
    return Number(row?.seq ?? 0)
  }

  get isCongested(): boolean {
    return this.#bytes > (this.#state.inMemory ? MAX_MEMORY_BYTES / 2 : CONGESTED_BYTES)
  }

  /** Called after each append, possibly before the surrounding transaction ends. */
  onAppend(listener: () => void): void {
    this.#listeners.add(listener)
  }

  append(report: Report): void {
    const checked = Report.parse(this.#withDropped(report))
    const historyId = 'history_id' in checked ? checked.history_id : null
    this.#keep({ kind: checked.kind, historyId, json: JSON.stringify(checked) })
  }

  /** A report that another process of this agent has created as JSON. It replaces an older one of its kind. */
  appendWritten(kind: 'software' | 'patches' | 'installed-patches', json: string): void {
    this.#remove((database) => database.all('delete from outbox where kind = ? returning size', kind))
    this.#keep({ kind, historyId: null, json })
  }

  #keep({ kind, historyId, json }: { kind: string; historyId: number | null; json: string }): void {
    const size = Buffer.byteLength(json)
    this.#state.write((database) => {
      database.run(
        'insert into outbox (kind, history_id, at, size, json) values (?, ?, ?, ?, ?)',
        kind,
        historyId,
        Math.floor(this.#now()),
        size,
        json,
      )
    })
    this.#bytes += size
    this.#peakBytes = Math.max(this.#peakBytes, this.#bytes)
    this.#keepBounds()
    for (const listener of this.#listeners) listener()
  }

  /** The oldest reports with a number above `seq`. */
  listAfter(seq: number, limit: number): OutboxEntry[] {
    const rows = this.#state.read((database) =>
      database.all('select seq, json from outbox where seq > ? order by seq limit ?', seq, limit),
    )
    return rows.map((row) => ({ seq: Number(row.seq), json: String(row.json) }))
  }

  /** Removes everything up to and including this number. */
  acknowledge(seq: number): void {
    this.#remove((database) => database.all('delete from outbox where seq <= ? returning size', seq))
    if (this.#bytes === 0) this.#tidy()
  }

  /** Removes unsent facts: at the start of a link all facts are reported again. */
  dropFacts(): void {
    this.#remove((database) => database.all(`delete from outbox where kind = 'facts' returning size`))
  }

  /** Removes output, check results and metrics that are older than a week. */
  dropOld(): void {
    const oldest = Math.floor(this.#now()) - MAX_AGE_MS
    this.#dropOutput((database) =>
      database.all(
        `delete from outbox where kind = 'output' and at < ? returning size, history_id, json`,
        oldest,
      ),
    )
    this.#remove((database) =>
      database.all(`delete from outbox where kind = 'metrics' and at < ? returning size`, oldest),
    )
    this.#dropChecks(
      `delete from outbox where seq in
         (select seq from outbox where kind = 'checks' and at < ? order by seq limit ?) returning size, json`,
      oldest,
    )
  }

  /** When a link is up, reports the check results that were dropped. */
  reportDroppedChecks(): void {
    const dropped = this.#droppedChecks.find()
    if (dropped === undefined) return
    this.#state.write(() => {
      this.#droppedChecks.clear()
      this.append({ kind: 'checks-dropped', ...dropped })
    })
  }

  /** Runs with waiting reports. */
  listRuns(): number[] {
    const rows = this.#state.read((database) =>
      database.all('select distinct history_id from outbox where history_id is not null'),
    )
    return rows.map((row) => Number(row.history_id))
  }

  countRefusals(): number {
    const row = this.#state.read((database) =>
      database.find(
        `select count(*) as n from outbox where kind = 'result' and json like '%"outcome":"refused"%'`,
      ),
    )
    return Number(row?.n ?? 0)
  }

  #keepBounds(): void {
    const limit = this.#state.inMemory ? MAX_MEMORY_BYTES : MAX_DISK_BYTES
    while (this.#bytes > limit) {
      const before = this.#bytes
      this.#dropOutput((database) =>
        database.all(
          `delete from outbox where seq in (select seq from outbox where kind = 'output' order by seq limit ?)
           returning size, history_id, json`,
          DROP_AT_ONCE,
        ),
      )
      if (this.#bytes === before) this.#dropMetrics()
      if (this.#bytes === before) this.#dropChecksOnce()
      if (this.#bytes === before) this.#dropOldest()
      if (this.#bytes === before) return
    }
  }

  #dropMetrics(): void {
    this.#remove((database) =>
      database.all(
        `delete from outbox where seq in (select seq from outbox where kind = 'metrics' order by seq limit ?)
         returning size`,
        DROP_AT_ONCE,
      ),
    )
  }

  /**
   * Without output left to drop (after some hundred thousand results), the oldest reports of any kind are dropped.
   */
  #dropOldest(): void {
    const dropped = this.#remove((database) =>
      database.all(
        'delete from outbox where seq in (select seq from outbox order by seq limit ?) returning size',
        DROP_AT_ONCE,
      ),
    )
    this.#log.warn({ dropped: dropped.length }, 'outbox is full, dropped the oldest reports')
  }

  #dropChecks(sql: string, olderThan: number): void {
    while (this.#dropChecksBy((database) => database.all(sql, olderThan, DROP_AT_ONCE)) === DROP_AT_ONCE);
  }

  #dropChecksOnce(): void {
    this.#dropChecksBy((database) =>
      database.all(
        `delete from outbox where seq in (select seq from outbox where kind = 'checks' order by seq limit ?)
         returning size, json`,
        DROP_AT_ONCE,
      ),
    )
  }

  /** Drops are counted in the same transaction. */
  #dropChecksBy(work: (database: Database) => Record<string, unknown>[]): number {
    const rows = this.#state.write((database) => {
      const dropped = work(database)
      if (dropped.length > 0) this.#droppedChecks.add(dropped.map(({ json }) => String(json)))
      return dropped
    })
    for (const row of rows) this.#bytes -= Number(row.size)
    if (rows.length > 0) this.#log.debug({ reports: rows.length }, 'check results dropped')
    return rows.length
  }

  #dropOutput(work: (database: Database) => Record<string, unknown>[]): void {
    const rows = this.#remove(work)
    if (rows.length === 0) return
    for (const row of rows) {
      const report = Report.parse(JSON.parse(String(row.json)))
      if (report.kind !== 'output') continue
      const bytes = Buffer.byteLength(report.text)
      this.#droppedBytes += bytes
      this.#addDropped(report.history_id, bytes)
    }
    this.#droppedAt = this.#now()
    this.#log.warn({ chunks: rows.length, bytes: this.#droppedBytes }, 'output dropped, the outbox is full')
    this.#problems.set(
      'outbox',
      `${this.#droppedBytes} bytes of output were dropped because they could not be sent to the server in time.`,
    )
  }

  /** Dropped output is marked in the result as cut, in the waiting one or the one to come. */
  #addDropped(historyId: number, bytes: number): void {
    const changed = this.#state.write((database) =>
      database.run(
        `update outbox set json = json_set(json, '$.output_cut_bytes', json_extract(json, '$.output_cut_bytes') + ?)
         where kind = 'result' and history_id = ?`,
        bytes,
        historyId,
      ),
    )
    if (changed === 0) this.#droppedOf.set(historyId, (this.#droppedOf.get(historyId) ?? 0) + bytes)
  }

  #withDropped(report: Report): Report {
    if (report.kind !== 'result') return report
    const dropped = this.#droppedOf.get(report.history_id) ?? 0
    return { ...report, output_cut_bytes: report.output_cut_bytes + dropped }
  }

  #remove(work: (database: Database) => Record<string, unknown>[]): Record<string, unknown>[] {
    const rows = this.#state.write(work)
    for (const row of rows) this.#bytes -= Number(row.size)
    return rows
  }

  #count(): void {
    const row = this.#state.read((database) => database.find('select total(size) as bytes from outbox'))
    this.#bytes = Number(row?.bytes ?? 0)
  }

  #tidy(): void {
    if (this.#droppedBytes > 0 && this.#now() - this.#droppedAt > DROPPED_PROBLEM_MS) {
      this.#droppedBytes = 0
      this.#droppedOf.clear()
      this.#problems.set('outbox', null)
    }
    if (this.#peakBytes < 1024 * 1024) return
    this.#peakBytes = 0
    // Returns the pages of a burst to the disk.
    this.#state.read((database) => database.exec('pragma incremental_vacuum'))
  }
}

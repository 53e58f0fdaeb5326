import { TABLES, type Database } from './database.ts'

/** Replaces the content of `to` with that of `from`, in one transaction. */
export function copyTables(from: Database, to: Database): void {
  to.exec('begin immediate')
  try {
    for (const table of TABLES) {
      to.run(`delete from ${table}`)
      for (const row of from.all(`select * from ${table}`)) {
        const names = Object.keys(row)
        const marks = names.map(() => '?').join(', ')
        to.run(`insert into ${table} (${names.join(', ')}) values (${marks})`, ...Object.values(row))
      }
    }
    // Report numbers continue, even if no report is waiting.
    const last = from.find(`select seq from sqlite_sequence where name = 'outbox'`)?.seq
    if (last !== undefined) setLastSeq(to, Number(last))
    to.exec('commit')
  } catch (cause) {
    to.exec('rollback')
    throw cause
  }
}

/** Sets the next report number to at least `seq + 1`. */
export function setLastSeq(database: Database, seq: number): void {
  const changed = database.run(`update sqlite_sequence set seq = max(seq, ?) where name = 'outbox'`, seq)
  if (changed === 0) database.run(`insert into sqlite_sequence (name, seq) values ('outbox', ?)`, seq)
}

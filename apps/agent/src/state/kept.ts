import type { State } from './state.ts'

/** Small texts that survive a restart. */
export class Kept {
  #state: State

  constructor(state: State) {
    this.#state = state
  }

  find(name: string): string | undefined {
    const row = this.#state.read((database) => database.find('select value from kept where name = ?', name))
    return row === undefined ? undefined : String(row.value)
  }

  save(name: string, value: string): void {
    this.#state.write((database) =>
      database.run('insert or replace into kept (name, value) values (?, ?)', name, value),
    )
  }

  forget(name: string): void {
    this.#state.write((database) => database.run('delete from kept where name = ?', name))
  }
}

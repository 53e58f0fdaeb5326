import type { State } from './state.ts'

/** Stored beyond the expiry, for clocks that are set back. */
const MARGIN_MS = 24 * 3600 * 1000
/** Always stored: a clock that jumped ahead must not empty the list. */
const MIN_STORED_NONCES = 10_000

/** Nonces of received commands, so that none is run twice, also after a restart. */
export class Nonces {
  #state: State
  #now: () => number

  constructor(options: { state: State; now: () => number }) {
    this.#state = options.state
    this.#now = options.now
    this.removeExpired()
  }

  wasSeen(nonce: string): boolean {
    return (
      this.#state.read((database) => database.find('select 1 from nonces where nonce = ?', nonce)) !==
      undefined
    )
  }

  remember(nonce: string, expiresAtMs: number): void {
    this.#state.write((database) =>
      database.run(
        'insert into nonces (nonce, expires_at) values (?, ?) on conflict (nonce) do nothing',
        nonce,
        Math.floor(expiresAtMs),
      ),
    )
  }

  removeExpired(): void {
    this.#state.write((database) =>
      database.run(
        `delete from nonces where expires_at < ? and id <= (select coalesce(max(id), 0) from nonces) - ?`,
        Math.floor(this.#now()) - MARGIN_MS,
        MIN_STORED_NONCES,
      ),
    )
  }
}

import { readFile } from 'node:fs/promises'
import { UserNames } from '../../os/linux/user-names.ts'

/** Names of file owners by number, cached for one reply. */
export class OwnerNames {
  #users: UserNames
  #groups: Promise<Map<number, string>> | undefined

  constructor(users: UserNames) {
    this.#users = users
  }

  async userOf(uid: number): Promise<string> {
    return (await this.#users.nameOf(uid)).slice(0, 64)
  }

  async groupOf(gid: number): Promise<string> {
    this.#groups ??= readGroups()
    return ((await this.#groups).get(gid) ?? String(gid)).slice(0, 64)
  }
}

async function readGroups(): Promise<Map<number, string>> {
  try {
    const rows = (await readFile('/etc/group', 'utf8')).split('\n').map((row) => row.split(':'))
    return new Map(rows.map(([name = '', , gid]) => [Number(gid ?? NaN), name]))
  } catch {
    // A machine without that file stores its groups elsewhere; the number is used instead.
    return new Map()
  }
}

import { createHash } from 'node:crypto'
import type { InstalledPackage } from '@muster/contract/agent/software'

/** Installers share a name now and then; in a repository a name is one package, whoever looks after it at the time. */
const BY_PUBLISHER: ReadonlySet<InstalledPackage['source']> = new Set(['windows', 'apps'])

type Named = Pick<InstalledPackage, 'name' | 'publisher' | 'source' | 'version'>

/** What a package is called by, whatever its version. */
export function titleOf({ name, publisher, source }: Omit<Named, 'version'>): string {
  return digest([source, name, BY_PUBLISHER.has(source) ? publisher : ''])
}

export function packageKey({ name, publisher, source, version }: Named): string {
  return digest([source, name, publisher, version])
}

function digest(parts: string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Context } from '../../context.ts'

const DAY_MS = 86_400_000

/** Days that the server's own certificate is still valid, rounded down; null where it serves without one. */
export function watchCertificate({ config, now }: Pick<Context, 'config' | 'now'>): () => number | null {
  if (config.tls === undefined) return () => null
  // The first in the file is the server's own. The one in use is that of the start, so it is read once.
  const expiresAt = new X509Certificate(readFileSync(config.tls.certFile)).validToDate.getTime()
  return () => Math.floor((expiresAt - now().getTime()) / DAY_MS)
}

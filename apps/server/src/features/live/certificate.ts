import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Context } from '../../context.ts'

const DAY_MS = 86_400_000

/** Days until the server's own certificate expires, rounded down. Null without TLS. */
export function watchCertificate({ config, now }: Pick<Context, 'config' | 'now'>): () => number | null {
  if (config.tls === undefined) return () => null
  // The first one in the file is the server's own. It is loaded at the start, so it is read once.
  const expiresAt = new X509Certificate(readFileSync(config.tls.certFile)).validToDate.getTime()
  return () => Math.floor((expiresAt - now().getTime()) / DAY_MS)
}

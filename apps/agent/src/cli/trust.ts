import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { CliError } from '../errors.ts'
import { requireIdentity, writeIdentity } from '../identity/identity.ts'
import { describeConnectionFailure } from '../link/enrol-machine.ts'
import { hashOf, isEncrypted, openTrusted, type Server, serverOf } from '../link/server-trust.ts'
import { readCa } from './enrol.ts'

const TIMEOUT_MS = 20_000

/**
 * Trusts the certificate that the server presents now, by the file with its CA or with the certificate itself, or by the
 * CAs that Node knows. Changes nothing if the server presents another. The machine stays the same to the server.
 */
export async function trust({
  folder,
  caFile,
}: {
  folder: string
  caFile: string | undefined
}): Promise<void> {
  const identity = requireIdentity(folder)
  const { agent_id, server_url } = identity
  if (!isEncrypted(identity))
    throw new CliError(
      `the connection to ${server_url} is not encrypted, so there is no certificate to trust`,
    )
  const caPem = caFile === undefined ? null : readCa(caFile)
  const given = caPem === null ? null : hashOf(new X509Certificate(caPem))
  const needsProof = await connectOnce({
    ...serverOf(identity),
    ca_pem: caPem,
    proven_certificate: given,
  })
  writeIdentity(folder, { ...identity, ca_pem: caPem, proven_certificate: needsProof ? given : null })
  process.stdout.write(
    `This machine now trusts the certificate of ${new URL(server_url).host}. It is still ${agent_id}.\nA running agent connects within a minute.\n`,
  )
}

/** Returns true if the certificate is trusted only because it was given. */
async function connectOnce(server: Server): Promise<boolean> {
  let socket: TLSSocket | undefined
  try {
    const opened = await openTrusted(server, TIMEOUT_MS)
    socket = opened
    await new Promise<void>((resolve, reject) => {
      opened.once('error', reject)
      opened.once('timeout', () => opened.destroy(new Error('it did not respond in time')))
      opened.once('secureConnect', () => (opened.destroyed ? undefined : resolve()))
    })
    return !opened.authorized
  } catch (cause) {
    throw new CliError(`${describeConnectionFailure(new URL(server.server_url), cause)}. Nothing was changed`)
  } finally {
    socket?.destroy()
  }
}

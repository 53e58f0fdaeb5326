import { createHash, X509Certificate } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { certificateProof, CertificateProof } from '@muster/contract/agent/certificate-proof'
import { proveCertificate } from '@muster/contract/api/installers'
import { expect, onTestFinished, test } from 'vitest'
import { verifyProof } from '../../platform/agent-link/keys.ts'
import { createTestServer } from '../../testing/test-server.ts'
import { TEST_CERT, TEST_KEY } from '../alerts/channels/test-certificate.ts'

const NONCE = 'n'.repeat(43)

/** Returns the proof, and the certificate of the connection that it came by. */
function requestProof(
  port: number,
): Promise<{ proof: CertificateProof; served: X509Certificate | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: '127.0.0.1', path: proveCertificate.path, method: 'POST', rejectUnauthorized: false },
      (response) => {
        const { socket } = response
        const served = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
        let text = ''
        response.on('data', (bytes: Buffer) => (text += bytes.toString()))
        response.on('end', () => resolve({ proof: CertificateProof.parse(JSON.parse(text)), served }))
      },
    )
    sent.setHeader('content-type', 'application/json')
    sent.on('error', reject)
    sent.end(JSON.stringify({ nonce: NONCE }))
  })
}

test('the server signs the certificate that it serves, and not the next one in its file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-proof-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [cert, key, other] = ['cert.pem', 'key.pem', 'other.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(cert, TEST_CERT)
  writeFileSync(key, TEST_KEY)
  writeFileSync(other, 'not loaded yet')
  await using server = await createTestServer({ env: { MUSTER_TLS_CERT: cert, MUSTER_TLS_KEY: key } })
  const { port } = await server.listen()
  copyFileSync(other, cert)
  const { proof, served } = await requestProof(port)
  const hash = createHash('sha256').update(new X509Certificate(TEST_CERT).raw).digest('hex')
  expect(proof).toMatchObject({ certificate: hash, authority: TEST_CERT.trim() })
  expect(served?.fingerprint256).toBe(new X509Certificate(TEST_CERT).fingerprint256)
  const { publicKey } = server.app.fleet.commandKey
  await expect(verifyProof(publicKey, certificateProof(NONCE, proof), proof.signature)).resolves.toBe(true)
  for (const wrong of [
    certificateProof('m'.repeat(43), proof),
    certificateProof(NONCE, { ...proof, certificate: 'f'.repeat(64) }),
    certificateProof(NONCE, { ...proof, authority: null }),
  ])
    await expect(verifyProof(publicKey, wrong, proof.signature)).resolves.toBe(false)
})

test('behind a proxy the server signs nothing', async () => {
  await using server = await createTestServer({ env: { MUSTER_PUBLIC_URL: 'https://muster.example.com' } })
  const refused = await server.anonymous.call(proveCertificate, { body: { nonce: NONCE } })
  expect(refused.status).toBe(409)
  expect(refused.error.detail).toBe(
    'This server does not serve the certificate, so it cannot prove it: a proxy in front of it does.',
  )
})

test('only a random text of the agreed length is signed', async () => {
  await using server = await createTestServer()
  for (const nonce of ['', 'short', `${NONCE}\n`, `${NONCE}${NONCE}`, 'muster-command-1\n{}'])
    await expect(server.anonymous.call(proveCertificate, { body: { nonce } })).resolves.toMatchObject({
      status: 400,
    })
})

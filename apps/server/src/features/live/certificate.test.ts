import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../platform/config/config.ts'
import { watchCertificate } from './routes.ts'

/** Valid until 2036-11-18T10:41:31Z. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBiTCCAS+gAwIBAgIUQKBYAaKjDoNMDB4Xt10rGqhL9wAwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPcm1tLmV4YW1wbGUuY29tMB4XDTI2MTEyMTEwNDEzMVoXDTM2
MTExODEwNDEzMVowGjEYMBYGA1UEAwwPcm1tLmV4YW1wbGUuY29tMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEHPlxGYHtdNvaQqVi+sFdHwhyCmWY3+bihk3L7Mpj
3q7/Vqr13G1kRm2faWKDGiIbfmkaNP8iWr1AbW0AZYjAR6NTMFEwHQYDVR0OBBYE
FJAq4cENkAu5laorLnIon8gz+1PsMB8GA1UdIwQYMBaAFJAq4cENkAu5laorLnIo
n8gz+1PsMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAKi6HKn/
14czF8WIL4/14u2eUeO4L1awzu51BwnSS9LfAiBL45+zzNiYwh8ktm+pdT3bKElR
mwvcvWf5cNKyysz/OQ==
-----END CERTIFICATE-----
`

test('the days until the certificate expires are integers, and negative afterwards', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-certificate-'))
  const file = join(folder, 'cert.pem')
  await writeFile(file, CERTIFICATE)
  const config = readConfig({ MUSTER_TLS_CERT: file, MUSTER_TLS_KEY: file })
  const daysAt = (instant: string) => watchCertificate({ config, now: () => new Date(instant) })()
  expect(daysAt('2036-11-03T10:41:30Z')).toBe(15)
  expect(daysAt('2036-11-03T10:41:32Z')).toBe(14)
  expect(daysAt('2036-11-18T10:41:32Z')).toBe(-1)
  await rm(folder, { recursive: true })
})

test('a server without TLS watches no certificate', () => {
  expect(watchCertificate({ config: readConfig({}), now: () => new Date() })()).toBeNull()
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TEST_CERT } from '../alerts/channels/test-certificate.ts'
import { findOwnAuthority } from './install-files.ts'

// Chains of authorities are tested with real machines in e2e/support/tls.test.ts.
test('machines trust a self-signed certificate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-authority-'))
  try {
    const certFile = join(folder, 'server.pem')
    writeFileSync(certFile, `Subject: CN=localhost\n${TEST_CERT}`)
    expect(findOwnAuthority({ certFile, keyFile: '' })).toBe(TEST_CERT.trim())
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('without TLS there is nothing to trust', () => {
  expect(findOwnAuthority(undefined)).toBeUndefined()
})

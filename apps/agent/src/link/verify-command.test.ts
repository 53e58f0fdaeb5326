import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { commandProof } from '@muster/contract/agent/commands'
import { verifyCommand, type VerifyContext } from './verify-command.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const now = Date.parse('2026-03-01T12:00:00.000Z')
const iso = (offsetMs: number) => new Date(now + offsetMs).toISOString()

function context(more: Partial<VerifyContext> = {}): VerifyContext {
  return {
    commandKey: publicKey,
    agentId: 'me1234567',
    agentVersion: '0.1.0',
    now,
    clockTrouble: undefined,
    wasSeen: () => false,
    notBefore: null,
    ...more,
  }
}

function signed(more: Record<string, unknown> = {}, key = privateKey) {
  const payload = JSON.stringify({
    protocol: 1,
    agent_id: 'me1234567',
    author: 'anna',
    issued_at: iso(-1000),
    expires_at: iso(60_000),
    nonce: randomUUID(),
    history_id: 12,
    name: 'cancel',
    input: { history_id: 1 },
    ...more,
  })
  return {
    payload,
    signature: sign(null, Buffer.from(commandProof(payload)), key).toString('base64url'),
    person_signature: null,
  }
}

test('a signed, fresh, new command for this agent is accepted', () => {
  expect(verifyCommand(signed(), context())).toMatchObject({ verdict: 'accepted', expiresAtMs: now + 60_000 })
})

test.each([
  ['another key', signed({}, generateKeyPairSync('ed25519').privateKey), /not signed by the server/],
  [
    'a changed payload',
    { ...signed(), payload: signed().payload.replace('anna', 'eve!') },
    /not signed by the server/,
  ],
  ['another agent', signed({ agent_id: 'other12345' }), /addressed to another machine/],
  [
    'an expired one',
    signed({ expires_at: iso(-1) }),
    /it expired at .*59\.999Z, and the machine's clock says/,
  ],
  ['one that expires now', signed({ expires_at: iso(0) }), /it expired/],
  ['one from the future', signed({ issued_at: iso(301_000), expires_at: iso(900_000) }), /in the future/],
  [
    'one that expires before it was issued',
    signed({ issued_at: iso(60_000), expires_at: iso(30_000) }),
    /times are invalid/,
  ],
  [
    'a time that is none',
    signed({ expires_at: '2026-02-30T99:99:99Z' }),
    /is not readable|times are invalid/,
  ],
  ['another protocol', signed({ protocol: 2 }), /does not support protocol 2. Update the agent/],
  ['an unknown command', signed({ name: 'format-disk' }), /does not know the command "format-disk"/],
  ['a missing field', signed({ nonce: undefined }), /is not readable/],
])('%s is refused', (_, command, sentence) => {
  const verdict = verifyCommand(command, context())
  expect(verdict).toMatchObject({ verdict: 'refused', historyId: 12 })
  expect('sentence' in verdict && verdict.sentence).toMatch(sentence)
})

test('a payload that is not JSON is refused without a row', () => {
  const signature = sign(null, Buffer.from(commandProof('{half')), privateKey).toString('base64url')
  const command = { payload: '{half', signature, person_signature: null }
  expect(verifyCommand(command, context())).toMatchObject({
    verdict: 'refused',
    historyId: null,
    signed: true,
  })
})

test('a small clock difference is accepted', () => {
  const command = signed({ issued_at: iso(299_000), expires_at: iso(900_000) })
  expect(verifyCommand(command, context()).verdict).toBe('accepted')
})

test('a refusal because of the time mentions the wrong clock', () => {
  const clockTrouble = "The clock of this machine is 2 days ahead of the server's."
  const verdict = verifyCommand(signed({ expires_at: iso(-1) }), context({ clockTrouble }))
  expect('sentence' in verdict && verdict.sentence).toMatch(/it expired .*2 days ahead of the server's\.$/)
})

test('a known nonce is a repetition, even after the expiry', () => {
  expect(verifyCommand(signed(), context({ wasSeen: () => true })).verdict).toBe('repeated')
  expect(verifyCommand(signed({ expires_at: iso(-1) }), context({ wasSeen: () => true })).verdict).toBe(
    'repeated',
  )
})

test('with an incomplete nonce list, commands from before the start are refused', () => {
  expect(verifyCommand(signed(), context({ notBefore: now })).verdict).toBe('refused')
  expect(verifyCommand(signed({ issued_at: iso(1) }), context({ notBefore: now })).verdict).toBe('accepted')
})

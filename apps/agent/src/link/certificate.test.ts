import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CERTIFICATE_PROOF_PATH } from '@muster/contract/agent/certificate-proof'
import { Identity, publicKeyText } from '../identity/identity.ts'
import { os } from '../os/index.ts'
import { runProgram, startProgram } from '../testing/agent-process.ts'
import { givenFolder, givenLog } from '../testing/given.ts'
import { Relay } from '../testing/relay.ts'
import { GOOD_TOKEN, TestServer } from '../testing/test-server.ts'
import {
  expiredTls,
  firstSelfSigned,
  nextAuthority,
  nextTls,
  notYetValidTls,
  otherNameTls,
  secondSelfSigned,
} from '../testing/tls-fixture.ts'
import { PATIENCE_MS } from '../../../../tools/patience.ts'
import { downloadFile } from './download-file.ts'
import { postJson } from './post-json.ts'
import { regainTrust } from './regain-trust.ts'
import { UntrustedCertificate } from './server-trust.ts'

interface Tls {
  key: string
  cert: string
}

const hashOf = ({ cert }: Tls) => createHash('sha256').update(new X509Certificate(cert).raw).digest('hex')
const readIdentity = (folder: string) =>
  Identity.parse(JSON.parse(readFileSync(join(folder, 'agent.json'), 'utf8')))
const statusOf = async (folder: string) => (await runProgram('status', '--data', folder)).stdout

/** A machine whose agent runs, at a server whose certificate (or its CA) was given at enrolment. */
async function givenMachine(tls: Tls = firstSelfSigned, ca = tls.cert) {
  const folder = givenFolder()
  const first = new TestServer(tls)
  let server = first
  onTestFinished(() => server[Symbol.asyncDispose]())
  const port = await first.listen()
  const url = `https://127.0.0.1:${port}`
  const caFile = join(folder, 'server-ca.pem')
  writeFileSync(caFile, ca)
  const up = first.untilUp()
  const enrolment = ['--server', url, '--token', GOOD_TOKEN, '--ca', caFile]
  const program = startProgram('enrol', ...enrolment, '--data', folder, '--run')
  await up
  return {
    folder,
    port,
    program,
    agentId: readIdentity(folder).agent_id,
    /** Stops the server. The next one has its key and agents, and another certificate. */
    async replaceServer(next?: Tls) {
      await server[Symbol.asyncDispose]()
      server = server.successor(next)
      return server
    },
  }
}

test('an agent comes back to a server with another self-signed certificate', async () => {
  const machine = await givenMachine()
  const { folder, port, program, agentId } = machine
  const server = await machine.replaceServer(secondSelfSigned)
  server.authority = secondSelfSigned.cert
  const up = server.untilUp()
  await server.listen(port)
  await up
  server.runShell(1, 'echo back')
  await server.result(1)
  expect(server.outputOf(1)).toBe('back\n')
  expect(program.stderr().match(/the server proved its new certificate/g)).toHaveLength(1)
  expect(readIdentity(folder)).toMatchObject({
    agent_id: agentId,
    ca_pem: secondSelfSigned.cert,
    proven_certificate: hashOf(secondSelfSigned),
  })
  expect(server.proofs).toBe(1)

  program.child.kill('SIGTERM')
  await program.ended
  const upAgain = server.untilUp()
  startProgram('run', '--data', folder)
  await upAgain
  expect(server.proofs).toBe(1)
})

test('an agent comes back to a server with a certificate of another CA, and trusts that CA', async () => {
  const machine = await givenMachine()
  const server = await machine.replaceServer(nextTls)
  server.authority = nextAuthority
  const up = server.untilUp()
  await server.listen(machine.port)
  await up
  expect(readIdentity(machine.folder)).toMatchObject({
    agent_id: machine.agentId,
    ca_pem: nextAuthority,
    proven_certificate: hashOf(nextTls),
  })
})

test('a server that leaves its own CA for a public one is trusted as by a new machine', async () => {
  const machine = await givenMachine()
  const server = await machine.replaceServer(nextTls)
  const up = server.untilUp()
  await server.listen(machine.port)
  await up
  expect(readIdentity(machine.folder)).toMatchObject({
    ca_pem: null,
    proven_certificate: hashOf(nextTls),
  })
})

test.each([
  ['expired', expiredTls],
  ['not yet valid, as for a machine with a wrong clock', notYetValidTls],
  ['for another name', otherNameTls],
])('a proven certificate that is %s is trusted, and the CA is kept', async (_, tls) => {
  const machine = await givenMachine(nextTls, nextAuthority)
  const server = await machine.replaceServer(tls)
  const up = server.untilUp()
  await server.listen(machine.port)
  await up
  expect(readIdentity(machine.folder)).toMatchObject({
    ca_pem: nextAuthority,
    proven_certificate: hashOf(tls),
  })

  // The next certificate is valid by the CA: the proven one is not trusted any longer.
  const renewed = await machine.replaceServer(nextTls)
  const upAgain = renewed.untilUp()
  await renewed.listen(machine.port)
  await upAgain
  await expect.poll(() => readIdentity(machine.folder).proven_certificate).toBeNull()
  expect(renewed.proofs).toBe(0)
})

/** As text, with `FILE` for the file. */
const repairLine = (folder: string) =>
  `${process.execPath} ${join(import.meta.dirname, '../main.ts')} trust --ca FILE --data ${folder}`

test.each([
  ['is self-signed', secondSelfSigned, 'it is self-signed'],
  ['comes from an unknown authority', nextTls, 'it comes from an authority that this machine does not know'],
  ['has expired', expiredTls, 'it has expired, or the clock of this machine is wrong', nextAuthority],
  [
    'is not valid yet',
    notYetValidTls,
    'it is not valid yet, or the clock of this machine is wrong',
    nextAuthority,
  ],
  ['has another name', otherNameTls, 'it is for another name', nextAuthority],
])('status explains a certificate that %s, at a server too old to prove it', async (...row) => {
  const [, tls, reason, authority] = row
  const machine = await (authority === undefined ? givenMachine() : givenMachine(nextTls, authority))
  const { folder, port, program } = machine
  const server = await machine.replaceServer(tls)
  server.canProve = false
  await server.listen(port)
  const problem = `127.0.0.1:${port} presents a certificate that this machine does not trust: ${reason}. The server is too old to prove it. Update the server. If the certificate is right, run on this machine with the PEM file of its authority or of itself: ${repairLine(folder)}`
  await expect.poll(() => statusOf(folder)).toContain(problem)
  expect(await statusOf(folder)).not.toMatch(/Node|--use-system-ca|NODE_/)
  // Once, however often the agent tries.
  expect(program.stderr().match(/certificate of the server not trusted/g)).toHaveLength(1)
  expect(program.stderr()).toContain(problem)
})

/** All that an agent may send over a connection that it does not trust, as a pattern. */
const requestForProof = (port: number) =>
  [
    `POST ${CERTIFICATE_PROOF_PATH} HTTP/1.1`,
    'accept: application/json',
    'content-type: application/json',
    'content-length: 55',
    `Host: 127.0.0.1:${port}`,
    'Connection: close',
    '',
    '\\{"nonce":"[\\w-]{43}"\\}',
  ].join('\r\n')

test('a man in the middle who passes the request on is not trusted and learns nothing', async () => {
  const machine = await givenMachine()
  const { folder, port, agentId } = machine
  const before = readFileSync(join(folder, 'agent.json'), 'utf8')
  const server = await machine.replaceServer(firstSelfSigned)
  await using relay = new Relay(secondSelfSigned, { port: await server.listen(), tls: true })
  await relay.listen(port)
  await expect
    .poll(() => statusOf(folder))
    .toContain('The server proved another certificate: a proxy or an attacker is in between.')
  await expect.poll(() => server.proofs).toBeGreaterThan(1)
  expect(relay.received.replaceAll(new RegExp(requestForProof(port), 'g'), '')).toBe('')
  for (const secret of [agentId, GOOD_TOKEN, 'x-muster-agent', 'authorization'])
    expect(relay.received).not.toContain(secret)
  expect(server.links).toBe(0)
  expect(readFileSync(join(folder, 'agent.json'), 'utf8')).toBe(before)
})

test('a man in the middle with an own certificate in the proof is not trusted', async () => {
  const machine = await givenMachine()
  const server = await machine.replaceServer(firstSelfSigned)
  await using relay = new Relay(secondSelfSigned, { port: await server.listen(), tls: true })
  relay.change = (text) => text.replaceAll(hashOf(firstSelfSigned), hashOf(secondSelfSigned))
  await relay.listen(machine.port)
  await expect
    .poll(() => statusOf(machine.folder))
    .toContain('It belongs to another server than the one that this machine enrolled at.')
  expect(server.links).toBe(0)
})

test('a proof that was made for another request is not trusted', async () => {
  // The certificate that the server had before, with its stolen key, and what the server has signed then.
  const machine = await givenMachine(secondSelfSigned)
  const { folder, port } = machine
  const before = await machine.replaceServer(firstSelfSigned)
  const up = before.untilUp()
  await before.listen(port)
  await up
  const earlier = await postJson(
    new URL(`https://127.0.0.1:${port}${CERTIFICATE_PROOF_PATH}`),
    { nonce: 'A'.repeat(43) },
    { ca: firstSelfSigned.cert, agent: false },
  )
  expect(earlier.status).toBe(200)
  const now = await machine.replaceServer(secondSelfSigned)
  const upNow = now.untilUp()
  await now.listen(port)
  await upNow

  const thief = await machine.replaceServer(firstSelfSigned)
  thief.canProve = false
  thief.onRequest = (_, response) => void response.writeHead(200).end(earlier.text)
  await thief.listen(port)
  await expect
    .poll(() => statusOf(folder))
    .toContain('It belongs to another server than the one that this machine enrolled at.')
  expect(thief.links).toBe(0)
})

test.each([
  ['without an end', 'its response is too long', Infinity],
  ['that never comes', 'it did not respond in time', 0],
])('a proof %s is given up', async (_, reason, parts) => {
  await using server = new TestServer(secondSelfSigned)
  server.canProve = false
  server.onRequest = (request, response) => {
    response.on('error', () => {})
    response.writeHead(200)
    const part = Buffer.alloc(64 * 1024, ' ')
    for (let sent = 0; sent < parts && response.write(part); sent += 1);
    response.on('drain', () => {
      for (let sent = 0; sent < parts && response.write(part); sent += 1);
    })
    request.resume()
  }
  const folder = givenFolder()
  const identity: Identity = {
    server_url: `https://127.0.0.1:${await server.listen()}`,
    agent_id: 'agent1',
    command_key: publicKeyText(server.keys.privateKey),
    ca_pem: firstSelfSigned.cert,
    proven_certificate: null,
    machine_key: 'a',
    enrolled_at: '2026-11-28T00:00:00.000Z',
  }
  const problem = await regainTrust(
    {
      folder,
      identity,
      os,
      log: givenLog().log,
      program: ['node', 'main.ts'],
      signal: new AbortController().signal,
      withinMs: parts === 0 ? 100 : PATIENCE_MS,
    },
    new UntrustedCertificate('It is not trusted'),
  )
  expect(problem).toContain(`The server did not prove it: `)
  expect(problem).toContain(reason)
  expect(identity.proven_certificate).toBeNull()
})

test('behind a proxy with an unknown certificate, one line on the machine repairs the link', async () => {
  const machine = await givenMachine()
  const { folder, port, agentId } = machine
  const server = await machine.replaceServer()
  await using proxy = new Relay(nextTls, { port: await server.listen(), tls: false })
  await proxy.listen(port)
  await expect
    .poll(() => statusOf(folder))
    .toContain(
      `It is that of a proxy, so the server cannot prove it. If the certificate is right, run on this machine with the PEM file of its authority or of itself: ${repairLine(folder)}`,
    )
  const [wrong, right] = [join(folder, 'wrong.pem'), join(folder, 'right.pem')]
  writeFileSync(wrong, secondSelfSigned.cert)
  writeFileSync(right, nextAuthority)
  const before = readFileSync(join(folder, 'agent.json'), 'utf8')
  const refused = {
    code: 1,
    stderr: `muster-agent: 127.0.0.1:${port} presents a certificate that this machine does not trust: it comes from an authority that this machine does not know. Use --ca with the PEM file of its authority. Nothing was changed\n`,
  }
  for (const more of [['--ca', wrong], []])
    await expect(runProgram('trust', '--data', folder, ...more)).resolves.toMatchObject(refused)
  expect(readFileSync(join(folder, 'agent.json'), 'utf8')).toBe(before)

  const up = server.untilUp()
  await expect(runProgram('trust', '--ca', right, '--data', folder)).resolves.toEqual({
    code: 0,
    stdout: `This machine now trusts the certificate of 127.0.0.1:${port}. It is still ${agentId}.\nA running agent connects within a minute.\n`,
    stderr: '',
  })
  await up
  expect(server.agents.size).toBe(1)
  expect(readIdentity(folder)).toEqual({
    ...(JSON.parse(before) as Identity),
    ca_pem: nextAuthority,
    proven_certificate: null,
  })
})

test('a certificate can be trusted by its own file, whatever its name and dates', async () => {
  const machine = await givenMachine()
  const { folder, port } = machine
  const server = await machine.replaceServer()
  await using proxy = new Relay(expiredTls, { port: await server.listen(), tls: false })
  await proxy.listen(port)
  const file = join(folder, 'certificate.pem')
  writeFileSync(file, expiredTls.cert)
  const up = server.untilUp()
  await expect(runProgram('trust', '--ca', file, '--data', folder)).resolves.toMatchObject({ code: 0 })
  await up
  expect(readIdentity(folder).proven_certificate).toBe(hashOf(expiredTls))
})

test('a download of the agent trusts the proven certificate, and no other', async () => {
  const machine = await givenMachine()
  const { folder, port } = machine
  const server = await machine.replaceServer(secondSelfSigned)
  const up = server.untilUp()
  await server.listen(port)
  await up
  const content = Buffer.from('the content')
  const path = join(folder, 'pushed.txt')
  let token: string | undefined
  server.onRequest = (request, response) => {
    token = request.headers.authorization
    response.writeHead(200, { 'content-length': content.length }).end(content)
  }
  const download = {
    path: '/agent/update',
    bytes: content.length,
    what: 'version 9',
    token: 'secret',
    sha256: createHash('sha256').update(content).digest('hex'),
    signal: new AbortController().signal,
  }
  const proven = readIdentity(folder)
  await downloadFile(path, { ...download, server: proven })
  expect(readFileSync(path, 'utf8')).toBe('the content')
  expect(token).toBe('Bearer secret')

  token = undefined
  await expect(
    downloadFile(path, { ...download, server: { ...proven, proven_certificate: hashOf(firstSelfSigned) } }),
  ).rejects.toThrow(
    `The download of version 9 was interrupted: 127.0.0.1:${port} presents a certificate that this machine does not trust: it is self-signed.`,
  )
  expect(token).toBeUndefined()
})

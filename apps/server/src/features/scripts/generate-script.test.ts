import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listAudit } from '@muster/contract/api/audit'
import { getDashInfo } from '@muster/contract/api/system'
import { generateScript } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

const CODE = 'Remove-Item C:\\Temp\\* -Recurse\n'

/** Implements the used part of the OpenAI API, and records the requests. */
async function givenModel(answer: { status: number; content: string; isHeld?: boolean }) {
  const requests: { path: string | undefined; authorization: string | undefined; body: unknown }[] = []
  const http = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      const { authorization } = request.headers
      requests.push({ path: request.url, authorization, body: JSON.parse(text) })
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      if (answer.isHeld) return response.flushHeaders()
      return response.end(
        JSON.stringify({ choices: [{ message: { role: 'assistant', content: answer.content } }] }),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  const server = await createTestServer({
    env: {
      MUSTER_OPENAI_URL: `http://127.0.0.1:${port}/v1`,
      MUSTER_OPENAI_MODEL: 'small',
      MUSTER_OPENAI_KEY: 'sk-1',
    },
  })
  return {
    server,
    requests,
    /** Ends the connections of all requests. */
    cut: () => http.closeAllConnections(),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      http.closeAllConnections()
      http.close()
    },
  }
}

test('a configured OpenAI-compatible server writes a script, whose code fence is removed', async () => {
  await using bench = await givenModel({ status: 200, content: `\`\`\`powershell\n${CODE}\`\`\`` })
  const { server, requests } = bench
  const user = server.as(await server.given.user({ permissions: ['can_manage_scripts'] }))
  expect((await user.call(getDashInfo, {})).body.open_ai_integration_enabled).toBe(true)
  expect((await user.call(generateScript, { body: { prompt: 'Empty C:\\Temp' } })).body).toBe(CODE)
  expect(requests).toEqual([
    {
      path: '/v1/chat/completions',
      authorization: 'Bearer sk-1',
      body: {
        model: 'small',
        messages: [
          { role: 'system', content: expect.stringContaining('code of one script only') },
          { role: 'user', content: 'Empty C:\\Temp' },
        ],
      },
    },
  ])
})

test('a failing model is reported as unavailable', async () => {
  await using bench = await givenModel({ status: 500, content: '' })
  const { server } = bench
  server.expectLog(/no script was generated/)
  const user = server.as(await server.given.user({ permissions: ['can_manage_scripts'] }))
  expect((await user.call(generateScript, { body: { prompt: 'Hello' } })).error).toMatchObject({
    code: 'unavailable',
  })
})

test('a response that is longer than any script is cut off', async () => {
  await using bench = await givenModel({ status: 200, content: 'x'.repeat(50_000_000) })
  const { server } = bench
  server.expectLog(/no script was generated/)
  const user = server.as(await server.given.user({ permissions: ['can_manage_scripts'] }))
  const { error } = await user.call(generateScript, { body: { prompt: 'Everything' } })
  expect(error).toMatchObject({ code: 'unavailable' })
})

test('each prompt that leaves the server is in the audit log', async () => {
  await using bench = await givenModel({ status: 200, content: CODE })
  const { server } = bench
  const user = server.as(
    await server.given.user({ permissions: ['can_manage_scripts', 'can_view_auditlogs'] }),
  )
  await user.call(generateScript, { body: { prompt: 'Empty C:\\Temp' } })
  const { audit_logs } = (await user.call(listAudit, { body: {} })).body
  expect(audit_logs.map(({ message }) => message)).toContain(
    'Sent a prompt for a script to small: "Empty C:\\Temp"',
  )
})

test('a fifth script at one time is refused, and fits again when another has ended', async () => {
  const answer = { status: 200, content: CODE, isHeld: true }
  await using bench = await givenModel(answer)
  const { server, requests } = bench
  server.expectLog(/no script was generated/)
  const user = server.as(await server.given.user({ permissions: ['can_manage_scripts'] }))
  const held = Array.from({ length: 4 }, (_, index) =>
    user.call(generateScript, { body: { prompt: `Script ${index}` } }),
  )
  await expect.poll(() => requests.length).toBe(4)
  const fifth = await user.call(generateScript, { body: { prompt: 'One more' } })
  expect(fifth.error).toMatchObject({ code: 'too_many_requests' })
  bench.cut()
  await Promise.all(held)
  answer.isHeld = false
  expect((await user.call(generateScript, { body: { prompt: 'One more' } })).body).toBe(CODE)
})

test('without a configured model the flag is off and nothing is generated', async () => {
  await using server = await createTestServer()
  const user = server.as(await server.given.user({ permissions: ['can_manage_scripts'] }))
  expect((await user.call(getDashInfo, {})).body.open_ai_integration_enabled).toBe(false)
  expect((await user.call(generateScript, { body: { prompt: 'Hello' } })).status).toBe(412)
})

import { PROXY_GUIDE_PATH } from '@muster/contract/errors'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

interface Description {
  openapi: string
  paths: Record<string, Record<string, { summary?: string; parameters?: unknown[] }>>
}

test('every mounted route is in the description, with a summary', async () => {
  await using server = await createTestServer()
  const { body } = await server.anonymous.send({ method: 'GET', url: '/openapi.json' })
  // Checked field by field below.
  const { openapi, paths } = body as Description
  expect(openapi).toBe('3.1.0')
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({
      route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      summary: summary ?? '',
    })),
  )
  expect(server.app.routes.length).toBeGreaterThan(20)
  for (const { method, path } of server.app.routes) {
    expect(described.map(({ route }) => route)).toContain(`${method} ${path}`)
  }
  for (const endpoint of server.app.api.mounted) {
    expect(described.map(({ route }) => route)).toContain(`${endpoint.method} ${endpoint.path}`)
  }
  const wordless = described.filter(({ summary }) => summary === '').map(({ route }) => route)
  expect(wordless).toEqual([])
})

test('schemas of the description are self-contained', async () => {
  await using server = await createTestServer()
  const { text } = await server.anonymous.send({ method: 'GET', url: '/openapi.json' })
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target)
  expect(new Set(references)).toEqual(new Set(['#/components/schemas/ErrorBody']))
})

test('the page shows every endpoint and runs no script', async () => {
  await using server = await createTestServer()
  const { text, headers } = await server.anonymous.send({
    method: 'GET',
    url: '/docs/',
    headers: { accept: 'text/html' },
  })
  expect(headers['content-security-policy']).not.toContain('script-src')
  expect(text).not.toContain('<script')
  expect(text).toContain('Programs send an API key as header <code>X-API-KEY</code>')
  for (const endpoint of server.app.api.mounted) expect(text).toContain(`<code>${endpoint.path}</code>`)
})

test('the guide for proxies is a page with the settings of four of them, and needs no sign-in', async () => {
  await using server = await createTestServer()
  const { status, headers, text } = await server.anonymous.send({ method: 'GET', url: PROXY_GUIDE_PATH })
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  for (const heading of ['nginx', 'Caddy', 'Apache', 'HAProxy']) expect(text).toContain(`<h2>${heading}</h2>`)
  expect(text).toContain('\n        proxy_set_header Upgrade $http_upgrade;\n')
  expect(text).toContain('<code>MUSTER_TRUSTED_PROXIES</code>')
  // No Markdown is left, and no script.
  expect(text).not.toMatch(/```|^- |^## |\]\(|<script/m)
})

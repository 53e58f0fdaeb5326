import { beforeAll, beforeEach, expect, test } from 'vitest'

interface Shown {
  title: string
  body: string
  tag: string
  data: string
}

interface TestWindow {
  url: string
  focus: () => Promise<void>
}

let shown: Shown[] = []
let opened: string[] = []
let windows: TestWindow[] = []

// The worker's own file runs in the page, where `self` is the window: only what a page lacks is replaced.
beforeAll(async () => {
  const registration = {
    showNotification: async (title: string, { body, tag, data }: Omit<Shown, 'title'>) => {
      shown.push({ title, body, tag, data })
    },
  }
  const clients = {
    matchAll: async () => windows,
    openWindow: async (address: URL) => {
      opened.push(address.href)
    },
  }
  for (const [name, value] of Object.entries({ registration, clients }))
    Object.defineProperty(window, name, { value })
  await new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.addEventListener('load', resolve)
    script.addEventListener('error', reject)
    script.src = '/service-worker.js'
    document.head.append(script)
  })
})

beforeEach(() => {
  shown = []
  opened = []
  windows = []
})

async function dispatch(type: string, fields: object): Promise<void> {
  const pending: Promise<unknown>[] = []
  const waitUntil = (promise: Promise<unknown>) => pending.push(promise)
  window.dispatchEvent(Object.assign(new Event(type), fields, { waitUntil }))
  await Promise.all(pending)
}

const push = (text: string) => dispatch('push', { data: { json: () => JSON.parse(text) } })

async function click(data: unknown): Promise<{ closed: boolean }> {
  const notification = {
    data,
    closed: false,
    close() {
      this.closed = true
    },
  }
  await dispatch('notificationclick', { notification })
  return notification
}

test('a message shows the headline in two parts, tagged with the address of its alert', async () => {
  const path = '/alerts?alert=7'
  await push(JSON.stringify({ line: 'Error on PC-12: Disk space of C:: 5 % free', path }))
  await push(JSON.stringify({ line: 'Test', path: '/alerts' }))
  expect(shown).toEqual([
    { title: 'Error on PC-12', body: 'Disk space of C:: 5 % free', tag: path, data: path },
    { title: 'Test', body: '', tag: '/alerts', data: '/alerts' },
  ])
})

test.each([
  'no JSON',
  '',
  'null',
  '[]',
  '{"path":"/alerts"}',
  '{"line":"","path":"/alerts"}',
  '{"line":7,"path":"/alerts"}',
  '{"line":"Error: x"}',
  '{"line":"Error: x","path":"https://elsewhere.example/"}',
  '{"line":"Error: x","path":"//elsewhere.example/"}',
  '{"line":"Error: x","path":"http://"}',
])('a message that cannot be read shows a notification that opens the alerts: %s', async (text) => {
  await push(text)
  expect(shown).toEqual([{ title: 'Muster', body: 'Alerts have changed.', tag: '/alerts', data: '/alerts' }])
})

test('a push without a message shows a notification', async () => {
  await dispatch('push', { data: null })
  expect(shown).toMatchObject([{ title: 'Muster', data: '/alerts' }])
})

test('a click closes the notification and focuses the window that shows the alert', async () => {
  const focused: string[] = []
  windows = ['/alerts', '/alerts?alert=7'].map((path) => {
    const url = location.origin + path
    return { url, focus: async () => void focused.push(url) }
  })
  expect(await click('/alerts?alert=7')).toMatchObject({ closed: true })
  expect(focused).toEqual([`${location.origin}/alerts?alert=7`])
  expect(opened).toEqual([])
})

test('a click opens the alert where no window shows it', async () => {
  windows = [{ url: `${location.origin}/`, focus: async () => expect.fail('another page is focused') }]
  await click('/alerts?alert=7')
  await click(null)
  expect(opened).toEqual([`${location.origin}/alerts?alert=7`, `${location.origin}/alerts`])
})

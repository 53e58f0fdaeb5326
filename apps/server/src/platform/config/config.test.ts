import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

test('every setting is optional', () => {
  const config = readConfig({})
  expect(config).toMatchObject({
    host: '127.0.0.1',
    port: 8420,
    adminUser: 'admin',
    isLoopback: true,
    checkTargets: 'lan',
    channelTargets: 'lan',
    hosted: false,
    backupPassphrase: undefined,
    backups: undefined,
    openAi: undefined,
  })
  expect(config.databaseUrl).toBeUndefined()
})

test.each([
  [{ MUSTER_PORT: 'eighty' }, 'MUSTER_PORT'],
  [{ MUSTER_PORT: '70000' }, 'MUSTER_PORT'],
  [{ MUSTER_PUBLIC_URL: 'rmm.example' }, 'MUSTER_PUBLIC_URL'],
  [{ MUSTER_TRUSTED_PROXIES: '10.0.0.0/8 proxy.example' }, 'MUSTER_TRUSTED_PROXIES'],
  [{ MUSTER_CHECK_TARGETS: 'everything' }, 'MUSTER_CHECK_TARGETS'],
  [{ MUSTER_CHANNEL_TARGETS: 'everything' }, 'MUSTER_CHANNEL_TARGETS'],
  [{ MUSTER_METRICS_TOKEN: 'short' }, 'MUSTER_METRICS_TOKEN'],
  [{ MUSTER_ALLOWED_ORIGINS: 'https://a.example nonsense' }, 'MUSTER_ALLOWED_ORIGINS'],
  [{ MUSTER_ADMIN_PASSWORD: 'short' }, 'MUSTER_ADMIN_PASSWORD'],
  [{ MUSTER_HOSTED: 'perhaps' }, 'MUSTER_HOSTED'],
  [{ MUSTER_OPENAI_URL: 'http://127.0.0.1/v1' }, 'MUSTER_OPENAI_MODEL'],
  [{ DATABASE_URL: 'mysql://x' }, 'DATABASE_URL'],
  [{ MUSTER_TLS_CERT: '/a.pem' }, 'MUSTER_TLS_KEY'],
  [{ NATS_URL: 'nats://127.0.0.1:4222' }, 'DATABASE_URL'],
])('an invalid value stops the start with one line that names the setting: %o', (env, name) => {
  expect(() => readConfig(env)).toThrow(ConfigError)
  expect(() => readConfig(env)).toThrow(name)
  try {
    readConfig(env)
  } catch (error) {
    expect(String(error)).not.toContain('\n')
  }
})

test.each([
  ['MUSTER_PUBLIC_URL', 'https://it.example/muster', '/muster', 'https://it.example'],
  ['MUSTER_PUBLIC_URL', 'https://it.example:8443/a/b/', '/a/b/', 'https://it.example:8443'],
  ['MUSTER_PUBLIC_URL', 'https://it.example?x=1', '?x=1', 'https://it.example'],
  ['MUSTER_PUBLIC_URL', 'https://it.example/#top', '#top', 'https://it.example'],
  ['MUSTER_PUBLIC_URL', 'https://ada:secret@it.example', 'ada:', 'https://it.example'],
  [
    'MUSTER_ALLOWED_ORIGINS',
    'https://a.example https://tools.example/console',
    '/console',
    'https://tools.example',
  ],
])('%s=%s is refused, and the line says which address is right', (name, value, rest, right) => {
  const read = () => readConfig({ [name]: value })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(
    new RegExp(
      `^${name} must be a scheme and a host only: write ${right.replaceAll('.', String.raw`\.`)}[^\n]*$`,
    ),
  )
  if (!rest.startsWith('ada')) expect(read).toThrow(rest)
  expect(read).not.toThrow('secret')
})

test.each([
  ['https://it.example', 'https://it.example'],
  ['https://it.example/', 'https://it.example'],
  ['HTTPS://IT.example:443/', 'https://it.example'],
  ['http://[::1]:8420', 'http://[::1]:8420'],
  ['  https://it.example ', 'https://it.example'],
])('MUSTER_PUBLIC_URL=%s is %s', (value, expected) => {
  expect(readConfig({ MUSTER_PUBLIC_URL: value }).publicUrl).toBe(expected)
})

test.each([
  [{ MUSTER_OPENAI_URL: 'http://127.0.0.1/v1?key=1', MUSTER_OPENAI_MODEL: 'm' }, 'MUSTER_OPENAI_URL'],
  [{ MUSTER_OPENAI_URL: 'http://127.0.0.1/v1#x', MUSTER_OPENAI_MODEL: 'm' }, 'MUSTER_OPENAI_URL'],
  [{ MUSTER_OPENAI_URL: 'http://a:b@127.0.0.1/v1', MUSTER_OPENAI_MODEL: 'm' }, 'MUSTER_OPENAI_URL'],
  [{ DATABASE_URL: 'postgres://db/', NATS_URL: 'nats://127.0.0.1:4222/muster' }, 'NATS_URL'],
  [{ DATABASE_URL: 'postgres://db/', NATS_URL: 'nats://127.0.0.1:4222?tls=1' }, 'NATS_URL'],
  [{ MUSTER_HOST: 'https://it.example' }, 'MUSTER_HOST'],
  [{ MUSTER_HOST: 'it.example:8420' }, 'MUSTER_HOST'],
  [{ MUSTER_HOST: 'it.example/muster' }, 'MUSTER_HOST'],
])('no part of an address is dropped in silence: %o', (env, name) => {
  expect(() => readConfig(env)).toThrow(new RegExp(`^${name} [^\\n]+$`))
})

test.each([
  ['127.0.0.1', undefined, true],
  ['::1', undefined, true],
  ['0.0.0.0', undefined, false],
  ['127.0.0.1', 'https://rmm.example.com', false],
])('host %s with public address %s: loopback %s', (host, url, loopback) => {
  expect(readConfig({ MUSTER_HOST: host, MUSTER_PUBLIC_URL: url }).isLoopback).toBe(loopback)
})

test('a server for others reaches public addresses only, unless the provider sets more', () => {
  expect(readConfig({ MUSTER_HOSTED: 'true' })).toMatchObject({
    checkTargets: 'public',
    channelTargets: 'public',
  })
  expect(readConfig({ MUSTER_HOSTED: 'true', MUSTER_CHANNEL_TARGETS: 'lan' })).toMatchObject({
    checkTargets: 'public',
    channelTargets: 'lan',
  })
})

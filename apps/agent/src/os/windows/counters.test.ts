import { expect, test } from 'vitest'
import { parseDisks, parseNetstat, parsePageFiles } from './counters.ts'

// The table is described at https://learn.microsoft.com/windows-server/administration/windows-commands/netstat.
const table = (title: string, words: string[]) =>
  [
    title,
    '',
    `                           ${words[0]}            ${words[1]}`,
    '',
    `${words[2]?.padEnd(24)} 3127613142       262123456`,
    `${words[3]?.padEnd(24)}    2712345         1234567`,
    'Discards                       12               0',
    'Unknown protocols               0',
    '',
  ].join('\r\n')

test.each([
  ['english', table('Interface Statistics', ['Received', 'Sent', 'Bytes', 'Unicast packets'])],
  ['german', table('Schnittstellenstatistik', ['Empfangen', 'Gesendet', 'Bytes', 'Unicastpakete'])],
  ['french', table('Statistiques de l’interface', ['Reçus', 'Émis', 'Octets', 'Paquets monodiffusion'])],
])('bytes of the network in %s', (_, output) => {
  expect(parseNetstat(output)).toEqual({ received: 3_127_613_142, sent: 262_123_456 })
})

test('other output gives no result', () => {
  expect(parseNetstat('')).toBeUndefined()
  expect(parseNetstat('Access is denied.\r\n')).toBeUndefined()
})

// Raw data of performance counters: https://learn.microsoft.com/windows/win32/cimwin32prov/win32-perfrawdata
test('disk bytes and page files come from one call', () => {
  const output = 'disk 123456789012 987654321\r\n4096 1024\r\n'
  expect(parseDisks(output)).toEqual({ read: 123_456_789_012, written: 987_654_321 })
  expect(parsePageFiles(output)).toEqual({ totalBytes: 4096 * 1024 ** 2, freeBytes: 3072 * 1024 ** 2 })
  expect(parseDisks('disk  \r\n')).toBeUndefined()
  expect(parseDisks('Get-CimInstance : Invalid class\r\n')).toBeUndefined()
  expect(parsePageFiles('disk 1 2\r\n')).toBeNull()
})

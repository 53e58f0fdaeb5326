import { expect, test } from 'vitest'
import { parseWindowsPing, sumNamedProcesses } from './probes.ts'

const english = `
Pinging 192.0.2.7 with 32 bytes of data:
Reply from 192.0.2.7: bytes=32 time=5ms TTL=57
Request timed out.
Reply from 192.0.2.7: bytes=32 time<1ms TTL=57

Ping statistics for 192.0.2.7:
    Packets: Sent = 3, Received = 2, Lost = 1 (33% loss),
Approximate round trip times in milli-seconds:
    Minimum = 1ms, Maximum = 5ms, Average = 3ms
`
const german = `
Ping wird ausgeführt für beispiel.de [2001:db8::1] mit 32 Bytes Daten:
Antwort von 2001:db8::1: Zeit=21ms
Antwort von 2001:db8::1: Zeit=22ms
Antwort von 2001:db8::1: Zeit=23ms

Ping-Statistik für 2001:db8::1:
    Pakete: Gesendet = 3, Empfangen = 3, Verloren = 0
    (0% Verlust),
Ca. Zeitangaben in Millisek.:
    Minimum = 21ms, Maximum = 23ms, Mittelwert = 22ms
`
const french = `
Envoi d’une requête 'Ping'  10.0.0.9 avec 32 octets de données :
Réponse de 10.0.0.1 : Impossible de joindre l’hôte de destination.
Réponse de 10.0.0.9 : octets=32 temps=4 ms TTL=64
Délai d’attente de la demande dépassé.

Statistiques Ping pour 10.0.0.9:
    Paquets : envoyés = 3, reçus = 2, perdus = 1 (perte 33%),
Durée approximative des boucles en millisecondes :
    Minimum = 4ms, Maximum = 4ms, Moyenne = 4ms
`
test.each([
  ['english', english, { sent: 3, received: 2, ms: 3 }],
  ['german', german, { sent: 3, received: 3, ms: 22 }],
  ['french, of whose answers one says that nobody is there', french, { sent: 3, received: 1, ms: 4 }],
  [
    'an unknown name',
    'Ping request could not find host nowhere. Please check the name and try again.',
    { sent: 0, received: 0, ms: null },
  ],
])('ping in %s', (_, text, answer) => {
  const output = text.trim().replaceAll('\n', '\r\n')
  expect(parseWindowsPing(output)).toEqual({ ...answer, output })
})

test('processes are counted by their name, with or without .exe', () => {
  const processes = ['System', 'chrome.exe', 'Chrome.exe', 'chrome helper.exe'].map((name, index) => ({
    name,
    memoryBytes: 1000 + index,
  }))
  expect(sumNamedProcesses(processes, 'Chrome')).toEqual({ count: 2, memoryBytes: 2003 })
  expect(sumNamedProcesses(processes, 'chrome.exe').count).toBe(2)
  expect(sumNamedProcesses(processes, 'hrome').count).toBe(0)
  expect(sumNamedProcesses(processes, 'system').count).toBe(1)
})

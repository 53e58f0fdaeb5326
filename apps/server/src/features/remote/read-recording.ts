import type { RecordingPage } from '@muster/contract/api/remote'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { RecordingRow } from './recording-queries.ts'
import { readPart } from './accept-socket.ts'

const PAGE_CHARACTERS = 1024 * 1024
const Header = z.object({ version: z.literal(2), width: z.int(), height: z.int() })
const Line = z.tuple([z.number(), z.enum(['o', 'r', 'm']), z.string()])

/** The next pieces of all parts of a recording, about a megabyte. */
export async function readRecording(
  ctx: Context,
  {
    parts,
    startedAt,
    after,
  }: { parts: readonly Pick<RecordingRow, 'id' | 'started_at'>[]; startedAt: string; after: number },
): Promise<RecordingPage> {
  const page: RecordingPage = { width: 80, height: 24, events: [], next: null }
  let number = 0
  let characters = 0
  for (const part of parts) {
    const offsetMs = Math.max(0, Date.parse(part.started_at) - Date.parse(startedAt))
    for (const { text } of await readPart(ctx, part.id)) {
      if (characters >= PAGE_CHARACTERS) return { ...page, next: number }
      number += 1
      if (number <= after) continue
      const piece = await text()
      characters += piece.length
      addPiece(page, piece, offsetMs)
    }
  }
  return page
}

function addPiece(page: RecordingPage, piece: string, offsetMs: number): void {
  for (const line of piece.split('\n')) {
    if (line === '') continue
    const value: unknown = JSON.parse(line)
    const header = Header.safeParse(value).data
    if (header !== undefined) {
      if (page.events.length === 0) {
        page.width = header.width
        page.height = header.height
      }
      page.events.push([offsetMs, 'r', `${header.width}x${header.height}`])
      continue
    }
    const [seconds, kind, text] = Line.parse(value)
    page.events.push([offsetMs + Math.round(seconds * 1000), kind, text])
  }
}

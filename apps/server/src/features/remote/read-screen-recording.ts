import type { ScreenRecordingPage } from '@muster/contract/api/remote'
import type { Context } from '../../context.ts'
import { readPart } from './read-part.ts'
import type { RecordingRow } from './recording-queries.ts'
import { readScreenEvents } from './screen-events.ts'

const PAGE_BYTES = 2 * 1024 * 1024

/** What comes after so many pieces of a recorded desktop, about two megabytes of it. */
export async function readScreenRecording(
  ctx: Context,
  { id, milliseconds }: Pick<RecordingRow, 'id' | 'milliseconds'>,
  after: number,
): Promise<ScreenRecordingPage> {
  const page: ScreenRecordingPage = {
    events: [],
    milliseconds: milliseconds === null ? null : Number(milliseconds),
    next: null,
  }
  let read = 0
  for (const [number, piece] of (await readPart(ctx, id)).entries()) {
    if (number < after) continue
    if (read >= PAGE_BYTES) return { ...page, next: number }
    const bytes = await piece.bytes()
    read += bytes.length
    page.events.push(...readScreenEvents(bytes))
  }
  return page
}

import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { readSealedFile, type SealedPiece } from '../../platform/files/sealed-file.ts'
import { recordingPath, recordingSeal } from './recordings.ts'

/** The pieces of one recording. They throw with a sentence where the file is gone or was changed. */
export async function readPart(ctx: Context, id: string): Promise<SealedPiece[]> {
  const told = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (cause) {
      ctx.log.error({ err: cause, recording: id }, 'a recording could not be read')
      throw new AppError('unavailable', 'The file of this recording is missing or was changed.', { cause })
    }
  }
  const pieces = await told(() => readSealedFile(recordingPath(ctx, id), recordingSeal(ctx, id)))
  return pieces.map(({ text, bytes }) => ({ text: () => told(text), bytes: () => told(bytes) }))
}

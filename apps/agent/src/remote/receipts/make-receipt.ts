import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { ReceiptParts } from '@muster/contract/agent/receipts'
import { os } from '../../os/index.ts'
import { compareSnapshots } from './compare-snapshots.ts'
import { Snapshot, type SnapshotPlaces, takeSnapshot } from './snapshot.ts'

const MOST_BYTES = 64 * 1024 * 1024

export interface MadeReceipt {
  from: string
  to: string
  parts: ReceiptParts
}

/** Writes a snapshot of the machine to a file. */
export async function keepSnapshot(file: string, places?: SnapshotPlaces): Promise<void> {
  const snapshot = await takeSnapshot(os, places)
  const draft = `${file}.new`
  writeFileSync(draft, gzipSync(JSON.stringify(snapshot)), { mode: 0o600 })
  renameSync(draft, file)
}

/** Compares the machine with the snapshot in that file. */
export async function makeReceipt(file: string, places?: SnapshotPlaces): Promise<MadeReceipt> {
  const text = gunzipSync(readFileSync(file), { maxOutputLength: MOST_BYTES }).toString('utf8')
  const before = Snapshot.parse(JSON.parse(text))
  const after = await takeSnapshot(os, places)
  return { from: before.at, to: after.at, parts: compareSnapshots(before, after) }
}

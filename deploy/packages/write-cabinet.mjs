import { closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { compressLzx, FRAME_BYTES, WINDOW_BITS } from './compress-lzx.mjs'

const [HEADER_BYTES, FOLDER_BYTES, FILE_BYTES, DATA_BYTES] = [36, 8, 16, 8]
/** LZX, with its window in the upper byte. */
const COMPRESSION = 3 | (WINDOW_BITS << 8)

/**
 * Writes a cabinet of Windows with one folder. wixl writes MSZIP, which is a third larger. `files` are
 * `{ name, path }`. Source: Microsoft Cabinet Format, MS-CAB.
 */
export function writeCabinet(file, files, { time, ...options }) {
  const entries = files.map(({ name, path }) => ({
    name: Buffer.from(`${name}\0`),
    size: statSync(path).size,
    path,
  }))
  const filesAt = HEADER_BYTES + FOLDER_BYTES
  const dataAt = filesAt + entries.reduce((sum, { name }) => sum + FILE_BYTES + name.length, 0)
  const output = openSync(file, 'w')
  try {
    let position = dataAt
    let count = 0
    for (const block of compressBlocks(entries, options)) {
      writeSync(output, block, 0, block.length, position)
      position += block.length
      count += 1
    }
    const head = Buffer.concat([
      header(position, entries.length, filesAt),
      folder(dataAt, count),
      ...list(entries, time),
    ])
    writeSync(output, head, 0, head.length, 0)
  } finally {
    closeSync(output)
  }
}

function* compressBlocks(entries, options) {
  const content = Buffer.concat(entries.map(({ path }) => readFileSync(path)))
  let left = content.length
  for (const data of compressLzx(content, options)) {
    const head = Buffer.alloc(DATA_BYTES)
    head.writeUInt16LE(data.length, 4)
    head.writeUInt16LE(Math.min(left, FRAME_BYTES), 6)
    head.writeUInt32LE(checksum(head.subarray(4), checksum(data, 0)), 0)
    yield Buffer.concat([head, data])
    left -= FRAME_BYTES
  }
}

function header(bytes, fileCount, filesAt) {
  const head = Buffer.alloc(HEADER_BYTES)
  head.write('MSCF', 0, 'latin1')
  head.writeUInt32LE(bytes, 8)
  head.writeUInt32LE(filesAt, 16)
  // Version 1.3, one folder.
  head.writeUInt16LE(0x0103, 24)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(fileCount, 28)
  return head
}

function folder(dataAt, blockCount) {
  const head = Buffer.alloc(FOLDER_BYTES)
  head.writeUInt32LE(dataAt, 0)
  head.writeUInt16LE(blockCount, 4)
  head.writeUInt16LE(COMPRESSION, 6)
  return head
}

function list(entries, time) {
  const date = new Date(time * 1000)
  let offset = 0
  return entries.map(({ name, size }) => {
    const head = Buffer.alloc(FILE_BYTES)
    head.writeUInt32LE(size, 0)
    head.writeUInt32LE(offset, 4)
    // MS-DOS date, at midnight.
    head.writeUInt16LE(
      ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
      10,
    )
    offset += size
    return Buffer.concat([head, name])
  })
}

/** XOR of numbers of four bytes; what is left at the end counts from its highest byte. */
function checksum(bytes, seed) {
  const whole = bytes.length - (bytes.length % 4)
  let sum = seed
  for (let at = 0; at < whole; at += 4) sum ^= bytes.readUInt32LE(at)
  let rest = 0
  for (const byte of bytes.subarray(whole)) rest = (rest << 8) | byte
  return (sum ^ rest) >>> 0
}

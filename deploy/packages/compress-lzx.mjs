// LZX as in cabinets: matches in a window of 2 MiB, coded with Huffman trees. Each block describes its trees as changes to
// those of the block before. Each frame of 32 KiB begins at a whole word. Sources: Microsoft LZX Data Compression Format,
// MS-PATCH, and for the tests another decoder, that of msitools.

export const FRAME_BYTES = 32_768
export const WINDOW_BITS = 21
const WINDOW_BYTES = 1 << WINDOW_BITS
/** A match cannot reach the last three bytes of the window. */
const MAX_OFFSET = WINDOW_BYTES - 3
const [MIN_LENGTH, MAX_LENGTH] = [2, 257]
const BLOCK_FRAMES = 2

const [LITERALS, SLOTS, LENGTH_SYMBOLS, ALIGNED_SYMBOLS] = [256, 50, 249, 8]
/** A length from here on has a symbol of its own. */
const LONG = 7
const [VERBATIM, ALIGNED] = [1, 2]
/** The longest codes. */
const [MAX_BITS, MAX_ALIGNED_BITS, MAX_LENGTHS_BITS] = [16, 7, 15]

const EXTRA_BITS = Array.from({ length: SLOTS }, (_, slot) => (slot < 4 ? 0 : Math.min(17, (slot >> 1) - 1)))
const SLOT_BASE = EXTRA_BITS.map((_, slot) =>
  EXTRA_BITS.slice(0, slot).reduce((sum, bits) => sum + (1 << bits), 0),
)

/**
 * Compresses all of `content`, and returns an iterator over its frames. `calls` are relative addresses of x64 programs
 * that become absolute, so that calls of the same function look alike. Changes `content` then.
 */
export function* compressLzx(content, { fast, calls }) {
  if (calls) translateCalls(content)
  const bits = new BitWriter()
  bits.write(calls ? 1 : 0, 1)
  if (calls) {
    bits.write(content.length >>> 16, 16)
    bits.write(content.length & 0xffff, 16)
  }
  const finder = new MatchFinder(content, fast ? FAST : SMALL)
  const trees = { main: new Uint8Array(LITERALS + 8 * SLOTS), length: new Uint8Array(LENGTH_SYMBOLS) }
  for (let at = 0; at < content.length; at += BLOCK_FRAMES * FRAME_BYTES) {
    const end = Math.min(content.length, at + BLOCK_FRAMES * FRAME_BYTES)
    const block = finder.parse(at, end)
    yield* writeBlock(bits, block, trees, end - at)
  }
}

/** The byte 0xE8 begins a call. The last ten bytes of a frame stay as they are. */
function translateCalls(content) {
  for (let frame = 0; frame < content.length; frame += FRAME_BYTES) {
    const end = Math.min(content.length, frame + FRAME_BYTES) - 10
    for (let at = frame; at < end; at += 1) {
      if (content[at] !== 0xe8) continue
      const address = content.readInt32LE(at + 1)
      if (address >= -at && address < content.length) {
        const isInside = address + at < content.length
        content.writeInt32LE(isInside ? address + at : address - content.length, at + 1)
      }
      at += 4
    }
  }
}

/** `depth`: how many earlier places with the same four bytes are compared. `nice`: a length that is not improved on. */
const SMALL = { depth: 48, nice: 64, lazy: true }
const FAST = { depth: 2, nice: 16, lazy: false }
const HASH_BITS = 17
const SHORT_HASH_BITS = 14
/** Three bytes from farther away take more than they save. */
const MAX_SHORT_OFFSET = 8192

/** Parses the content into literals and matches, block after block. */
class MatchFinder {
  #content
  #settings
  #heads = new Int32Array(1 << HASH_BITS).fill(-1)
  #before = new Int32Array(WINDOW_BYTES)
  #shortHeads = new Int32Array(1 << SHORT_HASH_BITS).fill(-1)
  /** The three latest offsets. */
  #latest = [1, 1, 1]
  #inserted = 0
  /** The result of `#find`: a length, 0 without a match; the offset as it is written; and how much it saves. */
  #length = 0
  #offset = 0
  #score = 0

  constructor(content, settings) {
    this.#content = content
    this.#settings = settings
  }

  /** `lengths` are 0 for literals. `values` are literals, or offsets: 0 to 2 for the latest ones, else offset + 2. */
  parse(start, end) {
    const lengths = new Uint16Array(end - start)
    const values = new Uint32Array(end - start)
    const { nice, lazy } = this.#settings
    let count = 0
    let at = start
    while (at < end) {
      // A match ends with its frame.
      const frameEnd = Math.min(end, at - (at % FRAME_BYTES) + FRAME_BYTES)
      this.#find(at, frameEnd)
      let [length, offset, score] = [this.#length, this.#offset, this.#score]
      while (lazy && length > 0 && length < nice && at + 1 < frameEnd) {
        this.#find(at + 1, frameEnd)
        if (this.#score <= score) break
        values[count] = this.#content[at]
        count += 1
        at += 1
        length = this.#length
        offset = this.#offset
        score = this.#score
      }
      lengths[count] = length
      values[count] = length === 0 ? this.#content[at] : offset
      count += 1
      if (length > 0) this.#remember(offset)
      at += length === 0 ? 1 : length
    }
    return { lengths, values, count }
  }

  #remember(offset) {
    const [first, second, third] = this.#latest
    if (offset === 0) return
    if (offset === 1) this.#latest = [second, first, third]
    else if (offset === 2) this.#latest = [third, second, first]
    else this.#latest = [offset - 2, first, second]
  }

  #find(at, frameEnd) {
    const content = this.#content
    const most = Math.min(MAX_LENGTH, frameEnd - at)
    this.#length = 0
    this.#score = 0
    this.#insertBefore(at)
    for (let index = 0; index < 3; index += 1) {
      const from = at - this.#latest[index]
      if (from < 0) continue
      const length = countSame(content, from, at, most)
      // Such an offset takes no bits of its own.
      if (length >= MIN_LENGTH && length + 3 > this.#score) {
        this.#length = length
        this.#offset = index
        this.#score = length + 3
      }
    }
    if (most < 4 || at + 4 > content.length) return
    const lowest = Math.max(0, at - MAX_OFFSET)
    const short = this.#shortHeads[hashShort(content, at)]
    if (short >= lowest && at - short <= MAX_SHORT_OFFSET && countSame(content, short, at, 3) === 3)
      this.#offer(3, at - short)
    let from = this.#heads[hash(content, at)]
    const { depth, nice } = this.#settings
    let best = 3
    for (let tries = depth; tries > 0 && from >= lowest; tries -= 1) {
      if (content[from + best] === content[at + best]) {
        const length = countSame(content, from, at, most)
        if (length > best) {
          best = length
          this.#offer(length, at - from)
          if (length >= nice || length === most) break
        }
      }
      from = this.#before[from % WINDOW_BYTES]
    }
  }

  #offer(length, offset) {
    const score = length + (offset < 4096 ? 1 : 0) + (offset < 256 ? 1 : 0)
    if (score <= this.#score) return
    this.#length = length
    this.#offset = offset + 2
    this.#score = score
  }

  #insertBefore(end) {
    const content = this.#content
    for (let at = this.#inserted; at < end && at + 4 <= content.length; at += 1) {
      const key = hash(content, at)
      this.#before[at % WINDOW_BYTES] = this.#heads[key]
      this.#heads[key] = at
      this.#shortHeads[hashShort(content, at)] = at
    }
    this.#inserted = Math.max(this.#inserted, end)
  }
}

function hash(content, at) {
  const word = content[at] | (content[at + 1] << 8) | (content[at + 2] << 16) | (content[at + 3] << 24)
  return Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS)
}

function hashShort(content, at) {
  const word = content[at] | (content[at + 1] << 8) | (content[at + 2] << 16)
  return Math.imul(word, 0x9e3779b1) >>> (32 - SHORT_HASH_BITS)
}

function countSame(content, from, at, most) {
  let length = 0
  while (length < most && content[from + length] === content[at + length]) length += 1
  return length
}

function slotOf(offset) {
  if (offset < 4) return offset
  if (offset >= 1 << 18) return 34 + (offset >> 17)
  const high = 31 - Math.clz32(offset)
  return 2 * high + ((offset >> (high - 1)) & 1)
}

/** Writes a block and returns its frames. `trees` are the lengths of the codes of the block before. */
function* writeBlock(bits, { lengths, values, count }, trees, size) {
  const main = new Uint32Array(trees.main.length)
  const long = new Uint32Array(LENGTH_SYMBOLS)
  const low = new Uint32Array(ALIGNED_SYMBOLS)
  const symbols = new Uint16Array(count)
  for (let index = 0; index < count; index += 1) {
    const [length, value] = [lengths[index], values[index]]
    if (length > 0) {
      const slot = slotOf(value)
      symbols[index] = LITERALS + 8 * slot + Math.min(length - MIN_LENGTH, LONG)
      if (length - MIN_LENGTH >= LONG) long[length - MIN_LENGTH - LONG] += 1
      if (EXTRA_BITS[slot] >= 3) low[value & 7] += 1
    } else symbols[index] = value
    main[symbols[index]] += 1
  }
  const mainTree = makeTree(main, MAX_BITS)
  const lengthTree = makeTree(long, MAX_BITS)
  const alignedTree = makeTree(low, MAX_ALIGNED_BITS)
  const saved = low.reduce((sum, times, symbol) => sum + times * (3 - alignedTree.lengths[symbol]), 0)
  const isAligned = saved > 3 * ALIGNED_SYMBOLS
  bits.write(isAligned ? ALIGNED : VERBATIM, 3)
  bits.write(size >>> 8, 16)
  bits.write(size & 0xff, 8)
  if (isAligned) for (const length of alignedTree.lengths) bits.write(length, 3)
  writeLengths(bits, trees.main.subarray(0, LITERALS), mainTree.lengths.subarray(0, LITERALS))
  writeLengths(bits, trees.main.subarray(LITERALS), mainTree.lengths.subarray(LITERALS))
  writeLengths(bits, trees.length, lengthTree.lengths)
  trees.main = mainTree.lengths
  trees.length = lengthTree.lengths

  let left = FRAME_BYTES
  for (let index = 0; index < count; index += 1) {
    const [length, value, symbol] = [lengths[index], values[index], symbols[index]]
    bits.write(mainTree.codes[symbol], mainTree.lengths[symbol])
    if (length > 0) {
      const rest = length - MIN_LENGTH - LONG
      if (rest >= 0) bits.write(lengthTree.codes[rest], lengthTree.lengths[rest])
      const slot = (symbol - LITERALS) >> 3
      const extra = EXTRA_BITS[slot]
      const above = value - SLOT_BASE[slot]
      if (isAligned && extra >= 3) {
        bits.write(above >> 3, extra - 3)
        bits.write(alignedTree.codes[value & 7], alignedTree.lengths[value & 7])
      } else if (extra > 16) {
        bits.write(above >> 16, extra - 16)
        bits.write(above & 0xffff, 16)
      } else bits.write(above, extra)
    }
    left -= length === 0 ? 1 : length
    if (left > 0) continue
    yield bits.takeFrame()
    left = FRAME_BYTES
  }
  // Only the last frame is shorter.
  if (left < FRAME_BYTES) yield bits.takeFrame()
}

/** Lengths of codes, each as its difference to the one before, coded with a tree of their own. */
function writeLengths(bits, before, lengths) {
  const steps = []
  for (let at = 0; at < lengths.length;) {
    let run = 1
    while (at + run < lengths.length && lengths[at + run] === lengths[at]) run += 1
    const change = (before[at] - lengths[at] + 17) % 17
    if (lengths[at] === 0 && run >= 20) {
      run = Math.min(run, 51)
      steps.push({ symbol: 18, extra: run - 20, extraBits: 5 })
    } else if (lengths[at] === 0 && run >= 4) {
      run = Math.min(run, 19)
      steps.push({ symbol: 17, extra: run - 4, extraBits: 4 })
    } else if (run >= 4) {
      run = Math.min(run, 5)
      steps.push({ symbol: 19, extra: run - 4, extraBits: 1, change })
    } else {
      run = 1
      steps.push({ symbol: change })
    }
    at += run
  }
  const times = new Uint32Array(20)
  for (const { symbol, change } of steps) {
    times[symbol] += 1
    if (change !== undefined) times[change] += 1
  }
  const tree = makeTree(times, MAX_LENGTHS_BITS)
  for (const length of tree.lengths) bits.write(length, 4)
  for (const { symbol, extra, extraBits, change } of steps) {
    bits.write(tree.codes[symbol], tree.lengths[symbol])
    if (extraBits !== undefined) bits.write(extra, extraBits)
    if (change !== undefined) bits.write(tree.codes[change], tree.lengths[change])
  }
}

/** Canonical Huffman codes. A tree of one symbol gets a second one, since decoders expect complete trees. */
function makeTree(times, maxBits) {
  const lengths = new Uint8Array(times.length)
  let weights = [...times.entries()].filter(([, count]) => count > 0)
  if (weights.length === 1) weights.push([weights[0][0] === 0 ? 1 : 0, 1])
  while (weights.length > 0 && findLengths(weights, lengths) > maxBits)
    weights = weights.map(([symbol, count]) => [symbol, (count + 1) >> 1])
  const codes = new Uint32Array(times.length)
  let code = 0
  for (let bits = 1; bits <= maxBits; bits += 1) {
    for (let symbol = 0; symbol < lengths.length; symbol += 1) {
      if (lengths[symbol] !== bits) continue
      codes[symbol] = code
      code += 1
    }
    code <<= 1
  }
  return { lengths, codes }
}

/** Sets the lengths of Huffman codes and returns the longest. The lightest two of two sorted queues are joined each time. */
function findLengths(weights, lengths) {
  const leaves = weights.toSorted((one, other) => one[1] - other[1] || one[0] - other[0])
  const total = 2 * leaves.length - 1
  const weight = new Float64Array(total)
  const parent = new Int32Array(total)
  for (const [index, [, count]] of leaves.entries()) weight[index] = count
  let [leaf, joined] = [0, leaves.length]
  for (let next = leaves.length; next < total; next += 1) {
    for (let half = 0; half < 2; half += 1) {
      const isLeaf = leaf < leaves.length && (joined === next || weight[leaf] <= weight[joined])
      const taken = isLeaf ? leaf : joined
      if (isLeaf) leaf += 1
      else joined += 1
      weight[next] += weight[taken]
      parent[taken] = next
    }
  }
  const depth = new Int32Array(total)
  let longest = 0
  for (let node = total - 2; node >= 0; node -= 1) {
    depth[node] = depth[parent[node]] + 1
    if (node >= leaves.length) continue
    lengths[leaves[node][0]] = depth[node]
    longest = Math.max(longest, depth[node])
  }
  return longest
}

/** Bits from the highest on, in words of two bytes with the lower byte first. */
class BitWriter {
  #bytes = Buffer.alloc(2 * FRAME_BYTES)
  #size = 0
  #word = 0
  #bits = 0

  /** At most 16 bits. */
  write(value, bits) {
    this.#word = ((this.#word << bits) | value) >>> 0
    this.#bits += bits
    if (this.#bits < 16) return
    this.#bits -= 16
    this.#size = this.#bytes.writeUInt16LE(this.#word >>> this.#bits, this.#size)
    this.#word &= (1 << this.#bits) - 1
  }

  takeFrame() {
    if (this.#bits > 0) this.write(0, 16 - this.#bits)
    const frame = Buffer.from(this.#bytes.subarray(0, this.#size))
    this.#size = 0
    return frame
  }
}

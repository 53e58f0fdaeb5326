import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { root } from './programs.ts'
import { readSources, type SourceFile } from './source-files.ts'

/**
 * The words that docs/GLOSSARY.md replaces, searched in names, comments, texts and documents. Code is being cleaned step
 * by step: `language-debt.json` holds how often each word may still stand, and these numbers only go down.
 *
 *     node tools/language-rules.ts              counts per word and folder
 *     node tools/language-rules.ts --list told  the lines with one word
 *     node tools/language-rules.ts --lower      lowers the limits to what there is now
 */
interface BannedWord {
  word: string
  instead: string
  /** Searched in lower case with names taken apart: `toldChecks` and `told-checks` read "told checks". */
  text?: RegExp
  /** Searched in the line as it is. */
  code?: RegExp
}

const BANNED: BannedWord[] = [
  { word: 'told', instead: 'notify, say, report', text: /\b(tell|tells|telling|told)\b/g },
  { word: 'tale', instead: 'change, state', text: /\btales?\b/g },
  { word: 'chore', instead: 'request, task', text: /\bchores?\b/g },
  { word: 'wish', instead: 'options, request', text: /\bwish(es|ed)?\b/g },
  { word: 'scene', instead: 'transaction, tx, context', text: /\bscenes?\b/g },
  { word: 'sight', instead: 'visibility, visibleTo', text: /\bsights?\b/g },
  { word: 'heard', instead: 'receive, read', text: /\b(hear|hears|heard|hearing)\b/g },
  { word: 'mouth and ear', instead: 'writer, reader', text: /\b(mouths?|ears?)\b/g },
  { word: 'looked', instead: 'scan, scanned', text: /\blooked\b/g },
  { word: 'called off', instead: 'cancel', text: /\bcall(s|ed|ing)?( it| them)? off\b/g },
  { word: 'in vain', instead: 'failed to', text: /\bin vain\b/g },
  { word: 'anew', instead: 'again', text: /\banew\b/g },
  { word: 'by itself', instead: 'automatically', text: /\bby itself\b/g },
  { word: 'whoever', instead: 'the user, the caller', text: /\b(whoever|whomever)\b/g },
  { word: 'somebody', instead: 'a user, a person', text: /\bsomebody\b/g },
  { word: 'he', instead: 'they', text: /\b(he|him|his)\b/g },
  { word: 'let be', instead: 'leave unchanged, idle', text: /\blet be\b/g },
  { word: 'keep silent', instead: 'suppress', text: /\bke(ep|eps|pt) silent\b/g },
  { word: 'let go', instead: 'release', text: /\blets? go\b/g },
  { word: 'dear', instead: 'expensive', text: /\bdear\b/g },
  { word: 'receipt', instead: 'session changes', text: /\breceipts?\b/g },
  { word: 'purpose', instead: 'reason', text: /(?<!\bon )\bpurposes?\b/g },
  { word: 'standing', instead: 'CheckState, AlertState', text: /\bstandings?\b/g },
  { word: 'redefine', instead: 'invalidate, mark stale', text: /\bredefine[sd]?\b/g },
  {
    word: 'forget',
    instead: 'invalidate, remove',
    code: /\b#?(on)?[fF]org(et|otten)[A-Z(]|\bforget-[a-z]/g,
  },
  { word: 'in turns', instead: 'in batches', text: /\b(in|take) turns\b/g },
  { word: 'slices of', instead: 'chunk', text: /\bslices of\b/g },
  { word: 'kept rows', instead: 'AgentCache', text: /\bkept rows\b/g },
  { word: 'lean start', instead: 'low-memory start', text: /\blean (start|schemas?)\b/g },
  { word: 'apart', instead: 'inChildProcess', code: /[a-z]Apart\b/g },
  { word: 'words', instead: 'labels, text', code: /[a-z]Words\b|[a-z]-words\b/g },
  { word: 'reach', instead: 'AgentRouter', code: /\b(link-reach|linkReach|LinkReach)\b/g },
  { word: 'question', instead: 'request', code: /\b[a-z]*Questions?\b/g },
  { word: 'life', instead: 'AlertChange', code: /\b([A-Z][a-z]+)?Life\b/g },
  { word: 'place', instead: 'location, scope, target', code: /\b[A-Za-z]*Places?\b/g },
  { word: 'MOST_', instead: 'MAX_, MIN_', code: /\b(MOST|LEAST|LONGEST|SHORTEST|FARTHEST|LARGEST)_[A-Z]/g },
  { word: 'clause for a name', instead: 'a noun', code: /(\/\*\*|\/\/) (What|Of|Who|Whose) /g },
]

/** Names that agents, browsers, stored rows or older servers know. */
const WIRE_NAMES = new RegExp(
  [
    /\b(looked_at|patches\.looked|software\.looked|(check|task)\.redefined)\b/,
    /\b(session-receipt|remote_receipts|remote-receipts|ask_purpose|purpose_needed|action_called_off)\b/,
    /(?<=['`])(called_off|receipts?|purpose|told)(?=['`])/,
    // Members of messages and columns, unlike variables.
    /(?<=\/)receipt(?=\/)|\b(purpose|receipt)(?=\??: )|(?<=\.)(purpose|receipt)\b/,
    /\btold(?=: (Severity|z\.boolean|notified|isNotified)\b)|(?<=\balerts\.)told\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)
const EXEMPT = [
  // They hold the words themselves.
  /^tools\/(language-rules|language-rules\.test|language-debt|flows)\.(ts|json)$/,
  /^docs\/GLOSSARY\.md$/,
  // Databases in use have run these.
  /^apps\/server\/src\/platform\/database\/migrations\//,
  /^package-lock\.json$/,
]
const DEBT_FILE = join(root, 'tools/language-debt.json')

interface Finding {
  word: string
  path: string
  line: number
  text: string
}

/** Line 0 is the name of the file. */
export function listFindings(files: SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => !EXEMPT.some((pattern) => pattern.test(path)))
    .flatMap(({ path, text }) => {
      const code = `${path}\n${text}`.replaceAll(WIRE_NAMES, ' ')
      const words = code
        .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
        .replaceAll(/[_-]/g, ' ')
        .toLowerCase()
      return BANNED.flatMap((banned) => [
        ...findMatches(banned.word, path, words, banned.text),
        ...findMatches(banned.word, path, code, banned.code),
      ])
    })
}

/** Words that stand more often than the debt allows, with up to three places where they do. */
export function findBannedTerms(files: SourceFile[], limits = readDebt()): string[] {
  const findings = listFindings(files)
  return BANNED.flatMap(({ word, instead }) => {
    const found = findings.filter((finding) => finding.word === word)
    const limit = limits[word] ?? 0
    if (found.length <= limit) return []
    const places = found.slice(-3).map(({ path, line }) => `${path}:${line}`)
    return [`"${word}" stands ${found.length} times, not ${limit}: use ${instead} (${places.join(', ')})`]
  })
}

function findMatches(word: string, path: string, text: string, pattern: RegExp | undefined): Finding[] {
  if (pattern === undefined) return []
  return [...text.matchAll(pattern)].map(({ index }) => {
    const line = text.slice(0, index).split('\n').length - 1
    return { word, path, line, text: text.split('\n')[line]?.trim() ?? '' }
  })
}

function readDebt(): Record<string, number> {
  return z.record(z.string(), z.int()).parse(JSON.parse(readFileSync(DEBT_FILE, 'utf8')))
}

/** `apps/console`, `packages/rules`, `docs`. */
function folderOf(path: string): string {
  const [top = '', name = ''] = path.split('/')
  return ['apps', 'packages'].includes(top) ? `${top}/${name}` : path.includes('/') ? top : '.'
}

function printCounts(findings: Finding[]): void {
  const folders = [...new Set(findings.map(({ path }) => folderOf(path)))].toSorted()
  const table = BANNED.flatMap(({ word }) => {
    const found = findings.filter((finding) => finding.word === word)
    const counts = folders.map((folder) => found.filter(({ path }) => folderOf(path) === folder).length)
    return found.length === 0 ? [] : [[word, found.length, ...counts]]
  })
  for (const row of [['word', 'all', ...folders], ...table])
    console.log(
      row.map((cell, index) => (index === 0 ? String(cell).padEnd(18) : String(cell).padStart(8))).join(' '),
    )
  console.log(`${findings.length} in all`)
}

function lowerLimits(findings: Finding[]): void {
  const before = readDebt()
  const counts = BANNED.map(({ word }) => {
    const count = findings.filter((finding) => finding.word === word).length
    return [word, Math.min(count, before[word] ?? count)] as const
  })
  writeFileSync(DEBT_FILE, `${JSON.stringify(Object.fromEntries(counts), undefined, 2)}\n`)
}

if (import.meta.main) {
  const [flag, word] = process.argv.slice(2)
  const findings = listFindings(readSources(root))
  if (flag === '--lower') lowerLimits(findings)
  else if (flag === '--list')
    for (const finding of findings.filter((one) => one.word === word))
      console.log(`${finding.path}:${finding.line} ${finding.text}`)
  else printCounts(findings)
}

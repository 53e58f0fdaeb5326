import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../support/program.ts'
import { BUDGETS, type Figure, verdictOf } from './budgets.ts'

const FILE = join(ROOT, 'docs/benchmarks.md')
const BEGIN = '<!-- bench -->'
const END = '<!-- /bench -->'
const HEAD = ['| what | must | aim | measured | | remark |', '| --- | --- | --- | --- | --- | --- |']
const WORDS = { aim: 'aim', must: 'must', missed: '**missed**' }

export function tableRow(figure: Figure): string {
  const { what, must, aim, unit } = BUDGETS[figure.budget]
  const value = figure.value.toFixed(figure.value < 10 ? (figure.value < 1 ? 2 : 1) : 0)
  const cells = [
    what,
    `${must} ${unit}`,
    `${aim} ${unit}`,
    `${value} ${unit}`,
    WORDS[verdictOf(figure)],
    figure.remark ?? '',
  ]
  return `| ${cells.join(' | ')} |`
}

/** Puts the figures into docs/benchmarks.md; rows that were not measured this time stay. */
export function writeTable(figures: Figure[]): void {
  const text = existsSync(FILE) ? readFileSync(FILE, 'utf8') : `# Benchmarks\n\n${BEGIN}\n${END}\n`
  const begin = text.indexOf(BEGIN)
  const end = text.indexOf(END)
  if (begin < 0 || end < begin) throw new Error(`${FILE} has no place for the table`)
  // The formatter pads cells.
  const known = text
    .slice(begin, end)
    .split('\n')
    .map((line) => line.replaceAll(/ +\|/g, ' |'))
  const rows = Object.entries(BUDGETS).flatMap(([name, { what }]) => {
    const figure = figures.find(({ budget }) => budget === name)
    if (figure !== undefined) return [tableRow(figure)]
    return known.filter((line) => line.startsWith(`| ${what} |`)).slice(0, 1)
  })
  const block = [BEGIN, describeMachine(), '', ...HEAD, ...rows, ''].join('\n')
  writeFileSync(FILE, text.slice(0, begin) + block + text.slice(end))
  execFileSync(join(ROOT, 'node_modules/.bin/oxfmt'), [FILE], { stdio: 'ignore' })
}

function describeMachine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = Math.round(totalmem() / 1024 ** 3)
  const day = new Date().toISOString().slice(0, 10)
  return `Measured on ${day} with ${cpus().length} cores (${processor}), ${memory} GiB of memory, ${type()} ${release().split('-')[0]}, Node ${process.versions.node}; server, machines and browser share these cores.`
}

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CliError } from './errors.ts'

const MAX_INPUT = 10_000

/** Asks a question on standard error; the answer is shown as it is typed. */
export function ask(question: string, stop: AbortController): Promise<string> {
  process.stderr.write(question)
  return readAnswer(process.stderr, stop)
}

/** The first line of standard input; hidden if a user types it. */
export async function readSecret(label: string, stop: AbortController): Promise<string> {
  if (!process.stdin.isTTY) return readInput()
  process.stderr.write(label)
  try {
    // The terminal echoes nothing while readline writes what is typed to nowhere.
    return await readAnswer(new Writable({ write: (_chunk, _encoding, done) => done() }), stop)
  } finally {
    process.stderr.write('\n')
  }
}

async function readAnswer(output: NodeJS.WritableStream, stop: AbortController): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output, terminal: true })
  // readline takes Ctrl+C from the terminal.
  prompt.on('SIGINT', () => stop.abort())
  prompt.on('close', () => stop.abort())
  try {
    return await prompt.question('', { signal: stop.signal })
  } finally {
    prompt.removeAllListeners('close')
    prompt.close()
  }
}

async function readInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > MAX_INPUT) throw new CliError('Standard input is longer than any API key.', 2)
  }
  return text
}

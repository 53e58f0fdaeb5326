import { Progress } from '@mantine/core'
import '@mantine/core/styles/Progress.css'
import { type Output, outputText } from './output-text.ts'

const TAIL = 4000

/** How far an installation is, by what it says itself now and then: `Progress: 45 %`. Nothing before it does. */
export function InstallProgress({ output }: { output: Output }) {
  const percent = readProgress(outputText(output, 'stdout'))
  if (percent === undefined) return null
  return <Progress value={percent} aria-label="Installation" />
}

export function readProgress(text: string): number | undefined {
  const told = [...text.slice(-TAIL).matchAll(/^Progress: (\d{1,3}) %$/gm)].at(-1)?.[1]
  return told === undefined ? undefined : Math.min(100, Number(told))
}

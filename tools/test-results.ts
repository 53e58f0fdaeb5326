/** The result of one test, or of a file or runner that failed beside its tests (`name` is empty). */
export interface TestResult {
  /** Absolute path, or undefined where the runner itself failed. */
  file?: string | undefined
  name: string
  state: 'passed' | 'failed' | 'skipped'
  error?: string | undefined
}

export interface Verdict {
  passed: number
  skipped: number
  /** Failed beside other tests and passed alone. */
  flaky: TestResult[]
  failed: TestResult[]
}

/** Files with a failure, or undefined where only the whole step can be run again. */
export function listFailedFiles(results: readonly TestResult[]): string[] | undefined {
  const files = results.filter(({ state }) => state === 'failed').map(({ file }) => file)
  const known = files.filter((file) => file !== undefined)
  return known.length < files.length ? undefined : [...new Set(known)]
}

/** Combines the results of a step with those of its failed files, each run once more alone. */
export function judgeResults(results: readonly TestResult[], alone: readonly TestResult[]): Verdict {
  const filesAlone = new Set(alone.map(({ file }) => file))
  const stateAlone = new Map(alone.map((result) => [keyOf(result), result.state]))
  const hasPassedAlone = (result: TestResult) => {
    // A file or a runner that works reports its tests only.
    if (result.name === '' && !stateAlone.has(keyOf(result)))
      return result.file === undefined ? alone.length > 0 : filesAlone.has(result.file)
    return stateAlone.get(keyOf(result)) === 'passed'
  }
  const failedFirst = results.filter(({ state }) => state === 'failed')
  const flaky = failedFirst.filter(hasPassedAlone)
  const last = [...results.filter(({ file, state }) => state !== 'failed' && !filesAlone.has(file)), ...alone]
  const count = (state: TestResult['state']) => last.filter((result) => result.state === state).length
  return {
    passed: count('passed') - flaky.filter(({ name }) => name !== '').length,
    skipped: count('skipped'),
    flaky,
    failed: [
      ...alone.filter(({ state }) => state === 'failed'),
      ...failedFirst.filter(
        (result) => stateAlone.get(keyOf(result)) !== 'failed' && !hasPassedAlone(result),
      ),
    ],
  }
}

function keyOf({ file = '', name }: TestResult): string {
  return `${file}\n${name}`
}

import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import type { TestResult } from './test-results.ts'

interface VitestError {
  message: string
  stack?: string
  /** The test file that ran when the error was thrown. */
  VITEST_TEST_PATH?: unknown
}

/**
 * Writes the result of each test, with the errors that belong to no test: Vitest's own JSON report leaves out those
 * that nobody caught, and those of hooks.
 */
export class ResultReporter implements Reporter {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly VitestError[]): void {
    const results = [...modules.flatMap(readModule), ...unhandledErrors.map(readUnhandled)]
    writeFileSync(this.#file, JSON.stringify(results))
  }
}

function readModule(module: TestModule): TestResult[] {
  const file = module.moduleId
  const errors = [module, ...module.children.allSuites()].flatMap((suite) => suite.errors())
  const tests = [...module.children.allTests()].map((test): TestResult => {
    const { state, errors: [error] = [] } = test.result()
    return {
      file,
      name: test.fullName,
      // A test that never ended has not passed.
      state: state === 'pending' ? 'failed' : state,
      ...(error !== undefined && { error: describe(error) }),
    }
  })
  return [
    ...errors.map((error): TestResult => ({ file, name: '', state: 'failed', error: describe(error) })),
    ...tests,
  ]
}

function readUnhandled(error: VitestError): TestResult {
  const file = error.VITEST_TEST_PATH
  return {
    ...(typeof file === 'string' && { file }),
    name: '',
    state: 'failed',
    error: `unhandled: ${describe(error)}`,
  }
}

function describe({ message, stack }: VitestError): string {
  return stack === undefined || stack === '' ? message : stack
}

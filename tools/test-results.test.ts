import { expect, test } from 'vitest'
import { judgeResults, listFailedFiles, type TestResult } from './test-results.ts'

const passed = (file: string, name: string): TestResult => ({ file, name, state: 'passed' })
const failed = (file: string, name: string): TestResult => ({ file, name, state: 'failed', error: 'no' })
const skipped = (file: string, name: string): TestResult => ({ file, name, state: 'skipped' })

test('without a failure nothing is run again', () => {
  const results = [passed('/a', 'adds'), passed('/a', 'divides'), passed('/b', 'opens')]
  expect(listFailedFiles(results)).toEqual([])
  expect(judgeResults(results, [])).toEqual({ passed: 3, skipped: 0, flaky: [], failed: [] })
})

test('each file with a failure is run again once', () => {
  const results = [failed('/a', 'adds'), failed('/a', 'divides'), passed('/b', 'opens'), failed('/c', '')]
  expect(listFailedFiles(results)).toEqual(['/a', '/c'])
})

test('a failure of the runner itself has no file to run again', () => {
  expect(listFailedFiles([failed('/a', 'adds'), { name: '', state: 'failed' }])).toBeUndefined()
})

test('a test that fails beside others and passes alone is flaky', () => {
  const results = [failed('/a', 'adds'), passed('/a', 'divides'), passed('/b', 'opens')]
  const alone = [passed('/a', 'adds'), passed('/a', 'divides')]
  expect(judgeResults(results, alone)).toEqual({
    passed: 2,
    skipped: 0,
    flaky: [failed('/a', 'adds')],
    failed: [],
  })
})

test('a test that fails alone is failed, whatever it did before', () => {
  const results = [failed('/a', 'adds'), passed('/a', 'divides')]
  const alone = [passed('/a', 'adds'), failed('/a', 'divides')]
  expect(judgeResults(results, alone)).toEqual({
    passed: 0,
    skipped: 0,
    flaky: [failed('/a', 'adds')],
    failed: [failed('/a', 'divides')],
  })
})

test('a test that fails twice counts once', () => {
  const verdict = judgeResults([failed('/a', 'adds')], [failed('/a', 'adds')])
  expect(verdict).toEqual({ passed: 0, skipped: 0, flaky: [], failed: [failed('/a', 'adds')] })
})

test('a test that the second run never reaches is failed', () => {
  const results = [failed('/a', 'adds'), failed('/b', 'opens')]
  const noReport: TestResult = { name: '', state: 'failed', error: 'The runner wrote no report' }
  const verdict = judgeResults(results, [passed('/b', 'opens'), noReport])
  expect(verdict.failed).toEqual([noReport, failed('/a', 'adds')])
  expect(verdict.flaky).toEqual([failed('/b', 'opens')])
})

test('a file that loads alone is flaky, and its tests count', () => {
  const verdict = judgeResults([failed('/a', '')], [passed('/a', 'adds'), passed('/a', 'divides')])
  expect(verdict).toEqual({ passed: 2, skipped: 0, flaky: [failed('/a', '')], failed: [] })
})

test('tests that a failed hook skipped are judged by the second run', () => {
  const results = [failed('/a', ''), skipped('/a', 'adds'), passed('/b', 'opens')]
  const verdict = judgeResults(results, [passed('/a', 'adds')])
  expect(verdict).toEqual({ passed: 2, skipped: 0, flaky: [failed('/a', '')], failed: [] })
})

test('a runner that failed is flaky if it ends well the second time', () => {
  const broken: TestResult = { name: '', state: 'failed', error: 'The runner failed without a failed test' }
  const tests = [passed('/a', 'adds'), passed('/b', 'opens')]
  expect(judgeResults([...tests, broken], tests)).toEqual({
    passed: 2,
    skipped: 0,
    flaky: [broken],
    failed: [],
  })
  expect(judgeResults([...tests, broken], [...tests, broken]).failed).toEqual([broken])
})

test('a skipped test is neither passed nor failed', () => {
  const results = [skipped('/a', 'adds'), passed('/a', 'divides')]
  expect(judgeResults(results, [])).toEqual({ passed: 1, skipped: 1, flaky: [], failed: [] })
})

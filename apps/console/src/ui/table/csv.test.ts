import { expect, test } from 'vitest'
import { toCsv } from './CsvButton.tsx'

test('every value is quoted, quotes are doubled, lines end as spreadsheets expect', () => {
  expect(
    toCsv([
      ['Name', 'Note'],
      ['Ada "the first"', 'two\nlines, one cell'],
    ]),
  ).toBe('"Name","Note"\r\n"Ada ""the first""","two\nlines, one cell"\r\n')
})

test.each([
  ['=1+1', "'=1+1"],
  ['+49 30 1234', "'+49 30 1234"],
  ['-2', "'-2"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
  ['  =1', "'  =1"],
  ['\u200B=1', "'\u200B=1"],
  ['＝1', "'＝1"],
  ['|calc', "'|calc"],
  ['=cmd|"/c calc"!A1', `'=cmd|""/c calc""!A1`],
])('%j is no formula', (value, cell) => {
  expect(toCsv([[value]])).toBe(`"${cell}"\r\n`)
})

test.each(['a=b', 'PC-12', '10.20.0.1', "it's", ''])('%j stays as it is', (value) => {
  expect(toCsv([[value]])).toBe(`"${value}"\r\n`)
})

test('an absent value is an empty cell; negative numbers stay numbers', () => {
  expect(toCsv([[null, undefined, -3]])).toBe('"","","-3"\r\n')
})

// A program for a terminal: another picture sixty times a second, of coloured text, each cell of it another one.
const PICTURES_PER_SECOND = 60
const CELLS_OF_ONE_COLOUR = 6

let picture = 0
setInterval(() => {
  const { columns, rows } = process.stdout
  let text = '\u001B[H'
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns - 1; column += 1) {
      const value = (row * 7 + column * 3 + picture * 5) % 94
      if (column % CELLS_OF_ONE_COLOUR === 0) text += `\u001B[${31 + ((picture + row + column) % 7)}m`
      text += String.fromCodePoint(33 + value)
    }
    if (row < rows - 1) text += '\r\n'
  }
  process.stdout.write(text)
  picture += 1
}, 1000 / PICTURES_PER_SECOND)

// <data-table>: see table.css.

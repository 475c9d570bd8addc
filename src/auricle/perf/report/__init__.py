"""What a load test found, for people and for spreadsheets; made from its summaries alone.

    publish.publish(folder, document)   summary.md, summary.csv, report.html; all of the below
    table.told(document)                for a terminal
    table.terminal(summaries), table.summary_csv(summaries)
    markdown.markdown(about, summaries)
    page.render(about, points)          with `course.course(columns)` of each point for pictures

`about` says whose numbers these are: `task`, `model`, and, if known, `created`, `auricle` and
`facts`, pairs of a term and its text. All of it may be left out.
"""

module example.com/liveness

go 1.26.0
